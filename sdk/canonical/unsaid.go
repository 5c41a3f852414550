package canonical

import (
	"iter"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// apart gives the parts that do reads, and takes them back with all that came of it but what it left: they say once more what
// the row shows. They are good until another part is added.
func (rd *reader) apart(do func()) []Part {
	r, f := rd.row, rd.found
	parts, faults, denials := len(r.Parts), len(r.Faults), r.denials
	names, texts, rest, inner := len(f.names), len(f.texts), len(f.rest), len(f.inner)
	do()
	again := r.Parts[parts:]
	r.Parts, r.Faults, r.denials = r.Parts[:parts], r.Faults[:faults], denials
	f.names, f.texts, f.rest, f.inner = f.names[:names], f.texts[:texts], f.rest[:rest], f.inner[:inner]
	return again
}

// unsaid counts what parts say that others do not. Texts are compared as one, and so are thoughts; of any other kind the
// first with the first, the second with the second.
func unsaid(parts, others []Part) (n int) {
	if len(parts) == 0 {
		return 0
	}
	var like [UnknownPart + 1]int // of the kind, where the next one may stand in others
	texts, thoughts := false, false
	for i := 0; i < len(parts); i++ {
		switch p := &parts[i]; p.Kind {
		case StepPart:
		case TextPart:
			texts = texts || !p.Body.Blank()
		case ReasoningPart:
			thoughts = thoughts || !p.Body.Blank()
		default:
			at := next(others, like[p.Kind], p.Kind)
			if at == len(others) {
				n++
			} else {
				if !p.repeats(parts[i:], others[at:]) {
					n++
				}
				like[p.Kind] = at + 1 + others[at].Sub
			}
			i += p.Sub
		}
	}
	if texts && !told(parts, others, TextPart) {
		n++
	}
	if thoughts && !told(parts, others, ReasoningPart) {
		n++
	}
	return n
}

// next gives the place of the first part of a kind from one on, which is no part of a result's content.
func next(parts []Part, from int, kind Kind) int {
	for i := from; i < len(parts); i++ {
		if parts[i].Kind == kind {
			return i
		}
		i += parts[i].Sub
	}
	return len(parts)
}

// repeats tells whether the first of some other parts is the first of these, with the content of a result.
func (p *Part) repeats(parts, others []Part) bool {
	q := &others[0]
	if p.Body != q.Body || p.Sub != q.Sub || p.Kind != MediaPart && !p.Name.Is(q.Name) {
		return false
	}
	for i := 1; i <= p.Sub; i++ {
		if parts[i].Body != others[i].Body || parts[i].Value != others[i].Value {
			return false
		}
	}
	return sameValue(p.Value, q.Value)
}

// sameValue tells whether two values are the same, however they are written.
func sameValue(a, b jsontext.JSON) bool {
	var v values
	return a == b || v.argument(a) == v.argument(b)
}

// told tells whether the texts of a kind in some parts stand in those of others, in order, whatever white space is between them.
func told(parts, others []Part, kind Kind) bool {
	rest := joined(others, kind)
	missing := false
	for piece := range pieces(parts, kind) {
		at := strings.Index(rest, piece)
		if missing = at < 0; missing {
			break
		}
		rest = rest[at+len(piece):]
	}
	if !missing {
		return true
	}
	rest = joined(parts, kind) // one text here may be several there
	for piece := range pieces(others, kind) {
		start := space(jsontext.Body(rest))
		rest = strings.TrimPrefix(rest[start:], piece[space(jsontext.Body(piece)):])
	}
	return jsontext.Body(rest).Blank()
}

// pieces gives the texts of a kind that say something, without those in the content of results.
func pieces(parts []Part, kind Kind) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(parts); i++ {
			p := &parts[i]
			if p.Kind == kind && !p.Body.Blank() && !yield(string(p.Body)) {
				return
			}
			i += p.Sub
		}
	}
}

func joined(parts []Part, kind Kind) string {
	return strings.Join(slices.Collect(pieces(parts, kind)), "")
}
