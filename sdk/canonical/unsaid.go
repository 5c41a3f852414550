package canonical

import (
	"iter"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// apart returns the parts that do reads without adding them to the row. They are valid until another part is added.
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

// unsaid counts contents of parts that others lack. Texts and thoughts are compared together, other kinds in order.
func unsaid(parts, others []Part) (n int) {
	if len(parts) == 0 {
		return 0
	}
	var like [UnknownPart + 1]int // for each kind, where in others the next one may be
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
	if texts && !covered(parts, others, TextPart) {
		n++
	}
	if thoughts && !covered(parts, others, ReasoningPart) {
		n++
	}
	return n
}

// next returns the index of the first part of a kind from an index on that is not in a result's content, or len(parts).
func next(parts []Part, from int, kind Kind) int {
	for i := from; i < len(parts); i++ {
		if parts[i].Kind == kind {
			return i
		}
		i += parts[i].Sub
	}
	return len(parts)
}

// repeats reports whether the first of others equals p, the first of parts, with the content of a result.
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
	return p.Kind == MediaPart || sameValue(p.Value, q.Value)
}

// sameValue reports whether two values are the same, however they are written.
func sameValue(a, b jsontext.JSON) bool {
	var v values
	return a == b || v.argument(a) == v.argument(b)
}

// covered reports whether the texts of a kind in others contain those in parts, in order, whatever white space is between them.
func covered(parts, others []Part, kind Kind) bool {
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
	rest = joined(parts, kind) // one text of parts may be several of others
	for piece := range pieces(others, kind) {
		start := space(jsontext.Body(rest))
		rest = strings.TrimPrefix(rest[start:], piece[space(jsontext.Body(piece)):])
	}
	return jsontext.Body(rest).Blank()
}

// pieces iterates over the texts of a kind that are not blank, without those in the content of results.
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
