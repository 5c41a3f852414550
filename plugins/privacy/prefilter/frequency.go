package prefilter

import (
	"sync"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// pairs are those of one of the first bytes and one of the second.
type pairs struct{ first, second string }

// pairs returns the pairs of bytes that the anchor can have at an offset.
func (a *Anchor) pairs(off int) pairs { return pairs{a.bytesAt(off), a.bytesAt(off + 1)} }

func (s pairs) each(do func(p uint16)) {
	for i := range len(s.first) {
		for j := range len(s.second) {
			do(pair(s.first[i], s.second[j]))
		}
	}
}

// often returns how frequent the pairs are.
func (s pairs) often() (sum float64) {
	f := frequency()
	switch anyFirst, anySecond := len(s.first) == len(allBytes), len(s.second) == len(allBytes); {
	case anyFirst && anySecond:
		return f.all
	case anyFirst:
		for j := range len(s.second) {
			sum += f.second[s.second[j]]
		}
	case anySecond:
		for i := range len(s.first) {
			sum += f.first[s.first[i]]
		}
	default:
		s.each(func(p uint16) { sum += f.of(p) })
	}
	return sum
}

// bytesAt returns the bytes that the anchor can have at an offset, which may be before or after it.
func (a *Anchor) bytesAt(off int) string {
	around := ""
	switch off {
	case -1:
		around = a.Prev
	case len(a.Text):
		around = a.Next
	}
	switch {
	case off >= 0 && off < len(a.Text) && a.Fold && a.Text[off]-'a' < 26:
		return bothCases[2*(a.Text[off]-'a'):][:2]
	case off >= 0 && off < len(a.Text):
		return a.Text[off : off+1]
	case around != "":
		return around
	}
	return allBytes
}

const bothCases = "aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ"

var allBytes = ascii.Bytes("\x00-\xff")

// commonPairs are the most common pairs of bytes in records of chats, the first most often.
const commonPairs = `  \\\"e on, \ner":s inre tn : esnttetien== a "t at \heanorlestthrar dese sta",me cioalroacconed  iaredndtongri` +
	`ct rouetisy it fcesiliec oaspeel peacailns blovesstrpric.\pl w d- geuschom ne"l ma"t eoltssuepo unna m"clall -` +
	`urex{"utemdaulg scfo"sim. n\a = ag =tyfr $t" u { (umid [di},mocroockhipo"}mp,\finc00abowamm ieaiip$.rs:\qu\fni` +
	`c{}{"]paefotptk  lhoyph sheeodlysoxte\s"curyad,"lshapslts\f )\ ++ ap"rtun-no"pbl[\sprrevpp} ],wesaboue 1osp ay` +
	`kerm) "dfet\"air{\ocva:"wirtskivifbeucop` + escapePairs

// escapePairs are those that escapes begin with, in rows whose writer has one for each character that is not ASCII.
const escapePairs = `\uu000u2u3u4u5u6u7u8u9uduf`

// frequencies of pairs, in parts of a thousand, with their sums by the first byte, by the second, and of all.
type frequencies struct {
	common        map[uint16]float64 // the pairs that are listed
	listed        [1 << 10]uint64    // a bit for each of them, so that few others cost a look into the map
	first, second [256]float64
	all           float64
}

// Frequencies of pairs that are not listed: of any, and of letters and digits of ASCII.
const rarePair, wordPair = 0.001, 0.02

func (f *frequencies) of(p uint16) float64 {
	switch {
	case f.listed[p/64]>>(p%64)&1 != 0:
		return f.common[p]
	case ascii.IsAlnum(byte(p)) && ascii.IsAlnum(byte(p>>8)):
		return wordPair
	}
	return rarePair
}

// frequency returns the frequencies.
var frequency = sync.OnceValue(func() *frequencies {
	f := &frequencies{common: make(map[uint16]float64, len(commonPairs)/2)}
	words := float64(len(wordBytes))
	for b := range 256 {
		if f.first[b] = 256 * rarePair; ascii.IsAlnum(byte(b)) {
			f.first[b] = words*wordPair + (256-words)*rarePair
		}
		f.all += f.first[b]
	}
	f.second = f.first
	for i := 0; i+1 < len(commonPairs); i += 2 {
		p := pair(commonPairs[i], commonPairs[i+1])
		more := 60/float64(i/2+5) - f.of(p)
		f.common[p] = f.of(p) + more
		f.listed[p/64] |= 1 << (p % 64)
		f.first[byte(p)] += more
		f.second[p>>8] += more
		f.all += more
	}
	return f
})

var wordBytes = ascii.Bytes("A-Za-z0-9")
