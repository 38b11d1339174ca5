//go:build !purego

#include "textflag.h"
#include "vectors_amd64.h"

// MASK makes the set of the bytes of lo and hi whose top bit is set. It uses BX, and those
// below use Y10, Y11 and Y13 too.
#define MASK(lo, hi, set) \
	VPMOVMSKB lo, set; \
	VPMOVMSKB hi, BX; \
	SHLQ $32, BX; \
	ORQ BX, set

// EQUAL makes the set of the bytes of the block that are those of the constant.
#define EQUAL(constant, set) \
	VPCMPEQB constant<>(SB), Y0, Y10; \
	VPCMPEQB constant<>(SB), Y1, Y11; \
	MASK(Y10, Y11, set)

// ZERO makes the set of the bytes of lo and hi that are zero.
#define ZERO(lo, hi, set) \
	VPXOR Y13, Y13, Y13; \
	VPCMPEQB Y13, lo, lo; \
	VPCMPEQB Y13, hi, hi; \
	MASK(lo, hi, set)

// HIGH makes the high nibbles of the block.
#define HIGH(lo, hi) \
	VPSRLW $4, Y0, lo; \
	VPSRLW $4, Y1, hi; \
	VPAND lo, Y12, lo; \
	VPAND hi, Y12, hi

// FAULTS makes the faults of UTF-8 of half a block from its high nibbles, at the later one
// of two bytes, and from the bytes one, two and three places before, which it uses up.
#define FAULTS(high, p1, p2, p3) \
	VPAND p1, Y12, Y11; \
	VPSHUFB Y11, Y14, Y11; \
	VPSRLW $4, p1, p1; \
	VPAND p1, Y12, p1; \
	VPSHUFB p1, Y13, p1; \
	VPAND p1, Y11, Y11; \
	VPSHUFB high, Y15, high; \
	VPAND Y11, high, high; \
	VPSUBUSB threes<>(SB), p2, p2; \
	VPSUBUSB fours<>(SB), p3, p3; \
	VPOR p2, p3, p3; \
	VPAND tops<>(SB), p3, p3; \
	VPXOR p3, high, high

// func passBlocks(p *byte, n int) (passed int, ended, escaped bool)
//
// SI is at the block, R13 at the last clean place and DI at the last place for a block.
// R12 is zero until a backslash is passed. Y12 is all nibbles.
// Y0 and Y1 are the block. At the end of the loop, Y6 and Y7 are its faults of UTF-8, Y8
// and Y9 its kinds.
//
// Of the bytes before a clean place nothing has to be known. Before any other place, a
// last byte that is a backslash escapes the next one.
TEXT ·passBlocks(SB), NOSPLIT, $0-26
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), DI
	LEAQ -64(SI)(DI*1), DI
	XORL R12, R12
	VMOVDQU nibbles<>(SB), Y12

clean:
	MOVQ SI, R13
	CMPQ SI, DI
	JHI  stop

	// The block, and the bytes one, two and three places before: zeros first.
	VMOVDQU 0(SI), Y0
	VMOVDQU 32(SI), Y1
	VPERM2I128 $0x08, Y0, Y0, Y10
	VPALIGNR $15, Y10, Y0, Y2
	VPALIGNR $14, Y10, Y0, Y4
	VPALIGNR $13, Y10, Y0, Y5
	JMP  kinds

loop:
	CMPQ SI, DI
	JHI  stop
	VMOVDQU 0(SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU -1(SI), Y2
	VMOVDQU -2(SI), Y4
	VMOVDQU -3(SI), Y5

kinds:
	VMOVDQU 31(SI), Y3
	VMOVDQU kindLow<>(SB), Y13
	VMOVDQU kindHigh<>(SB), Y14
	HIGH(Y6, Y7)
	VPSHUFB Y0, Y13, Y8
	VPSHUFB Y1, Y13, Y9
	VPSHUFB Y6, Y14, Y10
	VPSHUFB Y7, Y14, Y11
	VPANDN Y10, Y8, Y8
	VPANDN Y11, Y9, Y9

	// AX: whether there is a byte after a backslash. Y10: the bytes that may not stand
	// where they do.
	VPCMPEQB backslashes<>(SB), Y2, Y10
	VPCMPEQB backslashes<>(SB), Y3, Y11
	VPOR Y10, Y11, Y15
	VPMOVMSKB Y15, AX
	VPXOR Y10, Y12, Y10
	VPXOR Y11, Y12, Y11
	VPAND Y10, Y8, Y10
	VPAND Y11, Y9, Y11
	VPOR Y10, Y11, Y10

	// A character that goes on here starts three places before the block at most.
	VPOR Y0, Y1, Y11
	VPOR Y5, Y11, Y11
	VPMOVMSKB Y11, BX
	TESTL BX, BX
	JNZ  unicode
	VPTEST Y10, Y10
	JNZ  ascii

passed:
	ORQ  AX, R12
	ADDQ $64, SI
	JMP  loop

unicode:
	VMOVDQU firstHigh<>(SB), Y13
	VMOVDQU firstLow<>(SB), Y14
	VMOVDQU secondHigh<>(SB), Y15
	FAULTS(Y6, Y2, Y4, Y5)
	VMOVDQU 30(SI), Y4
	VMOVDQU 29(SI), Y5
	FAULTS(Y7, Y3, Y4, Y5)
	VPOR Y6, Y10, Y10
	VPOR Y7, Y10, Y10
	VPTEST Y10, Y10
	JZ   passed
	JMP  closer

ascii:
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7

closer:
	// There is a quote, \\, \u or a fault. R9: the quotes. R8: the backslashes.
	// DX: whether the first byte is escaped. AX: the faults.
	EQUAL(quotes, R9)
	EQUAL(backslashes, R8)
	VPAND controls<>(SB), Y8, Y10
	VPAND controls<>(SB), Y9, Y11
	VPOR Y6, Y10, Y10
	VPOR Y7, Y11, Y11
	ZERO(Y10, Y11, AX)
	NOTQ AX
	XORL DX, DX
	CMPQ SI, R13
	JEQ  escapes
	CMPB -1(SI), $0x5c
	SETEQ DX

escapes:
	// CX: the escaped bytes. R10: those of them that are u.
	XORL CX, CX
	XORL R10, R10
	MOVQ R8, BX
	ORQ  DX, BX
	JZ   ends

	// Runs of backslashes: BX has those of this block, CX what comes after backslashes,
	// R14 the first of the runs that start at odd places. Added to BX, these take their
	// runs away, and leave a bit after each that is at none of CX once all is moved on.
	// What is left are runs that start at even places: of CX, the odd bytes are escaped
	// there, and the even ones elsewhere.
	MOVQ DX, BX
	NOTQ BX
	ANDQ R8, BX
	LEAQ (DX)(BX*2), CX
	MOVQ CX, R14
	NOTQ R14
	ANDQ BX, R14
	ANDQ odds<>(SB), R14
	ADDQ BX, R14
	ADDQ R14, R14
	XORQ evens<>(SB), R14
	ANDQ R14, CX

	// R11: what may not be escaped.
	EQUAL(us, R10)
	VPSUBUSB Y12, Y8, Y8
	VPSUBUSB Y12, Y9, Y9
	ZERO(Y8, Y9, R11)
	ORQ  R8, R11
	ORQ  R10, R11
	NOTQ R11
	ANDQ CX, R11
	ORQ  R11, AX
	ANDQ CX, R10
	JZ   ends

	// R11: what is no digit, of the four bytes after each u.
	VMOVDQU digitLow<>(SB), Y13
	VMOVDQU digitHigh<>(SB), Y14
	HIGH(Y6, Y7)
	VPSHUFB Y0, Y13, Y8
	VPSHUFB Y1, Y13, Y9
	VPSHUFB Y6, Y14, Y6
	VPSHUFB Y7, Y14, Y7
	VPAND Y6, Y8, Y8
	VPAND Y7, Y9, Y9
	ZERO(Y8, Y9, R11)
	LEAQ (R10*2), R14
	LEAQ (R10*4), BX
	ORQ  R14, BX
	LEAQ (BX*4), R14
	ORQ  R14, BX
	ANDQ BX, R11
	ORQ  R11, AX

ends:
	// The string ends at the first quote that is not escaped, if there is no fault up to
	// it; what it tears is a fault at the quote itself.
	MOVQ CX, BX
	NOTQ BX
	ANDQ BX, R9
	JZ   goes_on
	LEAQ -1(R9), BX
	ANDQ BX, R8
	XORQ R9, BX
	TESTQ AX, BX
	JNZ  stop
	ORQ  R8, R12
	ORQ  DX, R12
	BSFQ R9, R9
	LEAQ 1(SI)(R9*1), SI
	MOVB $1, ended+24(FP)
	JMP  return

goes_on:
	TESTQ AX, AX
	JNZ  stop
	ORQ  R8, R12
	ORQ  DX, R12
	MOVQ R10, BX
	SHRQ $60, BX
	JNZ  digits
	ADDQ $64, SI
	ANDQ R8, CX
	JPL  loop
	JMP  clean // the last byte is a backslash that is escaped

digits:
	// They go on after the block: the next one starts at their backslash.
	BSRQ R10, BX
	LEAQ -1(SI)(BX*1), SI
	JMP  clean

stop:
	// A backslash that escapes what comes next is left to what comes next.
	MOVB $0, ended+24(FP)
	CMPQ SI, R13
	JEQ  return
	CMPB -1(SI), $0x5c
	JNE  return
	DECQ SI

return:
	VZEROUPPER
	SUBQ p+0(FP), SI
	MOVQ SI, passed+16(FP)
	TESTQ R12, R12
	SETNE escaped+25(FP)
	RET
