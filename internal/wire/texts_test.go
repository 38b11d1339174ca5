package wire

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// texts has pieces of the texts that tools return, as they stand in a JSON string.
var texts = map[string][]string{
	"plain": {"The quick ", "brown fox ", "jumps ", "over the lazy dog, ", "says ", "the owner ", "of it. "},
	// Something every 15 bytes or so:
	"escapes":   {`The quick `, `brown fox `, `jumps\n`, `over `, `the lazy dog\n`, `says \"Tom\", `, `the owner of it.\n`, `C:\\dogs `},
	"accents":   {"Le café est ", "fermé ", "à midi, ", "mais ", "où est la clé ", "du château ", "über den ", "Fluß ", "? "},
	"mixed":     {`The quick `, `brown fox `, `jumps\n`, `over a naïve café, `, `says \"Tom\", `, `für `, `the owner – `, `of it.\n`, `€ 5 `},
	"code":      {`\tif err := f(\"x\"); err != nil {\n`, `\t\treturn err\n`, `}\n`, `// It stops here.\n`, `a[i] = b + c\n`, `\t`},
	"nested":    {`{\"id\":1,`, `\"name\":\"Tom\",`, `\"text\":\"a line\\n\",`, `\"list\":[1,2]},`, `\"of\":null,`},
	"日本語":       {"日本語の", "テキストが", "ここに", "続きます。", "次は", "（東京）"},
	"кириллица": {"Быстрая ", "лиса ", "прыгает ", "через ", "ленивую ", "собаку. "},
	"한국어":       {"빠른 ", "갈색 ", "여우가 ", "게으른 ", "개를 ", "뛰어넘는다. "},
	"😀":         {"Nice work 😀 ", "and thanks 🎉 ", "to all. ", "Now "},
	"hex":       {`caf\u00e9 `, `and `, `na\u00efve, `, `\u65e5\u672c `, `in escapes. `},
}

// text is made of the pieces in an order that no branch predictor learns.
func text(size int, pieces ...string) string {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// BenchmarkStringEnd shows what the bytes cost that end a run of plain ones. Of texts that
// are much shorter a processor learns the branches by heart.
func BenchmarkStringEnd(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		long := []byte(text(1<<20, texts[name]...) + `"` + strings.Repeat(" ", 100))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(long)))
			for b.Loop() {
				if end, reason, _ := stringEnd(long, 0); reason != 0 || end != len(long)-100 {
					b.Fatal(end, reason)
				}
			}
		})
	}
}
