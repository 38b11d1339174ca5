// Constants and tables of passBlocks.

// WORDS is a word four times. TABLE is 16 bytes twice, as VPSHUFB looks up in each half
// by itself.
#define WORDS(name, w) \
	DATA name<>+0(SB)/8, $w; \
	DATA name<>+8(SB)/8, $w; \
	DATA name<>+16(SB)/8, $w; \
	DATA name<>+24(SB)/8, $w; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

#define TABLE(name, low, high) \
	DATA name<>+0(SB)/8, $low; \
	DATA name<>+8(SB)/8, $high; \
	DATA name<>+16(SB)/8, $low; \
	DATA name<>+24(SB)/8, $high; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

WORDS(nibbles, 0x0f0f0f0f0f0f0f0f)
WORDS(backslashes, 0x5c5c5c5c5c5c5c5c)
WORDS(quotes, 0x2222222222222222)
WORDS(us, 0x7575757575757575)
WORDS(controls, 0x0202020202020202) // the kind, below
WORDS(tops, 0x8080808080808080)
WORDS(threes, 0x6060606060606060) // what e0 is above 80
WORDS(fours, 0x7070707070707070)  // what f0 is above 80
WORDS(evens, 0x5555555555555555)
WORDS(odds, 0xaaaaaaaaaaaaaaaa)

// Kinds of bytes. A byte is of a kind if kindHigh has its bit at the high nibble, and
// kindLow has not at the low one; a non-ASCII byte is of all that kindHigh has.
//
//	0x01 quote                0x20 2x but 22 (") and 2f (/)
//	0x02 control              0x40 6x but 62 (b), 66 (f) and 6e (n)
//	0x10 not 2x, 6x or 7x     0x80 7x but 72 (r) and 74 (t)
//
// The kinds in 0x0f may not stand for themselves and those in 0xf0 not after a backslash,
// where \\ and \u are left to a closer look.
TABLE(kindLow, 0x0141018101e00101, 0x2141010101010101)
TABLE(kindHigh, 0x8040101010211212, 0x1010101010101010)

// Faults of UTF-8 (RFC 3629) by two bytes that follow each other: there is one if both
// nibbles of the first and the high one of the second have its bit. The last is none, but
// has to be there, where a first byte of three or four is two or three places before.
//
//	0x01 first byte, no further one      0x10 c0 or c1, further byte
//	0x02 ASCII, further byte             0x20 f4-ff, 90-bf
//	0x04 e0, 80-9f                       0x40 f0 or f5-ff, 80-8f
//	0x08 ed, a0-bf                       0x80 further byte, further byte
TABLE(firstHigh, 0x0202020202020202, 0x610d011180808080)
TABLE(firstLow, 0xe3e3e3a3838393d7, 0xe3e3ebe3e3e3e3e3)
TABLE(secondHigh, 0x0101010101010101, 0x01010101babab6d6)

// Hexadecimal digits: both nibbles have a bit, 0x01 of 3x, 0x02 of 4x and 6x.
TABLE(digitLow, 0x0103030303030301, 0x0000000000000101)
TABLE(digitHigh, 0x0002000201000000, 0x0000000000000000)
