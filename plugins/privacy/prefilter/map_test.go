package prefilter

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

var (
	testedIndex = func() *Index {
		x := testIndex()
		x.Place(nil, 0)
		return x
	}()
	testedSet = ascii.Set("\x1b\\^*_~<]|&%+\n\xc2\xea\xef\xf0" + ascii.Bytes("\xd8-\xe3"))
)

// TestKernels holds that the kernel of this machine and the plain one find the same in any bytes.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		text := make([]byte, r.IntN(5)*BlockSize)
		for i := range text {
			if text[i] = byte(r.Uint32()); r.IntN(2) == 0 {
				text[i] = `0129/:"\@A[`[r.IntN(11)]
			}
		}
		checkKernels(t, text)
	}
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte(strings.Repeat(`{"a":"\\\"0189@/:"}`, 10)))
	f.Fuzz(func(t *testing.T, text []byte) { checkKernels(t, text[:len(text)/BlockSize*BlockSize]) })
}

func checkKernels(t *testing.T, text []byte) {
	t.Helper()
	have, want := make([]classes, len(text)/BlockSize), make([]classes, len(text)/BlockSize)
	classify(have, text)
	classifyPlain(want, text)
	last, wantLast := follow(have, text, &testedIndex.steps, ^uint32(0)), followPlain(want, text, &testedIndex.steps, ^uint32(0))
	if last != wantLast {
		t.Fatalf("%q: want the groups %x last, have %x", text, wantLast, last)
	}
	if !slices.Equal(have, want) {
		t.Fatalf("%q: want %x, have %x", text, want, have)
	}
	set, marked, plain := NewByteSet(testedSet), make([]uint64, len(want)), make([]uint64, len(want))
	set.Mark(marked, text)
	markPlain(plain, text, (*[32]byte)(set))
	if !slices.Equal(marked, plain) {
		t.Fatalf("%q: want marks %x, have %x", text, plain, marked)
	}
	for i, c := range text {
		if plain[i/BlockSize]>>(i%BlockSize)&1 == 1 != testedSet[c] {
			t.Fatalf("%q: byte %d is marked wrongly", text, i)
		}
		b, bit := want[i/BlockSize], i%BlockSize
		if b.digits>>bit&1 == 1 != ascii.IsDigit(c) || b.quotes>>bit&1 == 1 != (c == '"') || b.slashes>>bit&1 == 1 != (c == '\\') || b.stops>>bit&1 == 1 != (c == '@') {
			t.Fatalf("%q: byte %d is in the wrong class", text, i)
		}
	}
}

// TestMapForgets holds that nothing of one text is among the stops of the next, which has the memory of its blocks.
func TestMapForgets(t *testing.T) {
	var m Map
	for size := 1; size < 3*BlockSize; size++ {
		text := strings.Repeat("1", size)
		m.Read(testedIndex, strings.Repeat("::", 4*BlockSize))
		m.known(0)
		m.Read(testedIndex, text)
		var fresh Map
		fresh.Read(testedIndex, text)
		if have, want := m.known(0), fresh.known(0); !slices.Equal(have, want) {
			t.Fatalf("%d digits behind another text: want %x, have %x", size, want, have)
		}
	}
}

// TestMapFindsEnds holds that a map of JSON has the quotes around strings, however many backslashes precede them.
func TestMapFindsEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var doc strings.Builder
		var want []int
		for range 1 + r.IntN(6) {
			doc.WriteString(strings.Repeat(" ", r.IntN(70)))
			want = append(want, doc.Len())
			doc.WriteByte('"')
			for range r.IntN(40) {
				doc.WriteString([]string{`\\`, `\"`, "a", `\n`, "1"}[r.IntN(5)])
			}
			want = append(want, doc.Len())
			doc.WriteString(`",`)
		}
		var m Map
		m.ReadJSON(testedIndex, doc.String())
		var have []int
		for at := m.Quote(0); at < doc.Len(); at = m.Quote(at + 1) {
			have = append(have, at)
		}
		if !slices.Equal(have, want) {
			t.Fatalf("%s: want quotes at %v, have %v", doc.String(), want, have)
		}
	}
}
