package wire

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Validator checks what one worker answers about one batch. Every answer comes to a pipeline through it, whether the worker
// runs in this process or in another and however its bytes travel.
//
// An answer that breaks the protocol is an error, after which the worker cannot be used. New records and side rows that are not
// JSON make their record a reject with code "invalid_output". Inside a chain the host may not have that record, so that only
// the plugin's process can reject it: Admit then returns ErrUnfit if the worker was trusted, and it must be asked again. From
// any other worker it breaks the protocol.
type Validator struct {
	In     []Record // the batch
	Depth  int      // deepest nesting of new records and rows
	Name   string   // of the plugin, for messages
	Behind []Step   // the later steps of a chain
	Trust  bool     // the worker leaves checks to the validator

	Hide func(string) string // returns what faults say without secrets; nil: they know none

	// HideNames does the same for codes and the names of counts. Nil for a built-in plugin: a secret as short as a word may be part of any.
	HideNames func(string) string

	// Capacity is how many bytes one record may become, which bounds how many records and rows a message may have. 0: any number.
	Capacity int

	// Copy returns memory that only this process writes. Each reply's new records are copied there before they are checked, so that what
	// was checked is what everybody reads later. Nil: the worker is trusted to leave what it has answered with as it is.
	Copy func(n int) (*Region, error)

	answered int
	region   *Region
	base     uint64 // what offsets count from
	used     int    // bytes of the region that answers lie in
	written  int    // bytes of new records, in all regions
}

// InvalidOutput is the reject code of a record for which a plugin emitted something that is no record.
const InvalidOutput = "invalid_output"

// PlainError is the reject code for errors of plugins without a valid code.
const PlainError = "error"

// CrashCode is the reject code of a record that ended the plugin's process, or made it break the protocol.
const CrashCode = "plugin_crash"

// IsHostCode reports whether the host or the SDK rejects with a code, which no plugin has to declare.
func IsHostCode(code string) bool {
	return code == PlainError || code == InvalidOutput || code == "too_large" || code == CrashCode
}

// Grant sets the region that new records lie in from now on, at offsets that count from base. The validator takes over the
// region's reference; memory that no answer lies in is released at the next Grant, or by End.
func (val *Validator) Grant(region *Region, base uint64) {
	val.End()
	val.region, val.base, val.used = region, base, 0
}

// End releases what is left of the granted memory.
func (val *Validator) End() {
	if val.region != nil {
		val.region.Shrink(val.used)
		val.region.Release()
		val.region = nil
	}
}

// Written returns how many bytes of new records the validator has admitted.
func (val *Validator) Written() int { return val.written }

// Answered returns how many records of the batch have their answer.
func (val *Validator) Answered() int { return val.answered }

// Admit checks a reply and returns it as the answer to the next records of the batch. Emitted records hold references on their
// memory. An error of a later step of the chain is a StepError.
func (val *Validator) Admit(r *Reply) (Answer, error) {
	if left := len(val.In) - val.answered; len(r.Verdicts) > left {
		return Answer{}, val.broken(val.Name, fmt.Errorf("want at most %d records answered, have %d", left, len(r.Verdicts)))
	} else if r.Done && len(r.Verdicts) < left {
		return Answer{}, val.broken(val.Name, fmt.Errorf("want %d records answered, have %d", len(val.In), val.answered+len(r.Verdicts)))
	}
	if err := val.checkSize(r); err != nil {
		return Answer{}, val.broken(val.Name, err)
	}
	if val.Copy != nil {
		restore, err := val.copyRecords(r)
		if err != nil {
			return Answer{}, err
		}
		defer restore()
	}
	p := part{Validator: val, Reply: r, name: val.Name, in: val.In[val.answered:][:len(r.Verdicts)], from: val.answered, last: val.lastGroup(0)}
	a, err := p.admit()
	if err != nil {
		return Answer{}, val.broken(val.Name, err)
	}
	if len(val.Behind) > 0 {
		if err := val.follow(&a, p.in, r); err != nil {
			return Answer{}, err
		}
	}
	retain(&a)
	val.answered += len(r.Verdicts)
	a.Last = val.answered == len(val.In)
	return a, nil
}

// broken returns the error of a plugin that breaks the protocol.
func (val *Validator) broken(name string, err error) error {
	if err == ErrUnfit {
		return err
	}
	return &Breach{name, err}
}

// A Breach is an answer that breaks the protocol.
type Breach struct {
	Plugin string
	Err    error
}

// Error implements error.
func (b *Breach) Error() string {
	return fmt.Sprintf("plugin %s broke the protocol: %v", b.Plugin, b.Err)
}

// Unwrap returns what is wrong with the answer.
func (b *Breach) Unwrap() error { return b.Err }

func retain(a *Answer) {
	if RetainAll(a.new); a.new == nil {
		for i := range a.Outcomes {
			RetainAll(a.Outcomes[i].Emitted)
		}
	}
	RetainAll(a.Made)
	for i := range a.Behind {
		retain(&a.Behind[i])
	}
}

// checkVerdicts checks that a reply has as many records and faults as its verdicts say.
func (val *Validator) checkVerdicts(r *Reply) error {
	emitting, faults := 0, 0
	for _, v := range r.Verdicts {
		switch Verdict(v) {
		case Unchanged:
		case Emitted:
			emitting++
		case Dropped, Rejected, Declined:
			faults++
		default:
			return fmt.Errorf("want a verdict from 0 to 4, have %d", v)
		}
	}
	if len(r.Emitted) != emitting {
		return fmt.Errorf("want %d numbers of emitted records, have %d", emitting, len(r.Emitted))
	}
	if err := r.checkFaults(faults); err != nil {
		return err
	}
	var total uint64
	for _, n := range r.Emitted {
		if n == 0 {
			return fmt.Errorf("want one or more emitted records for a verdict 1, have 0")
		}
		total += uint64(n)
	}
	if len(val.In) == 0 { // Flush emits without verdicts
		total = uint64(len(r.Lengths))
	}
	if uint64(len(r.Lengths)) != total || uint64(len(r.Offsets)) != total || len(r.Same) > 0 && uint64(len(r.Same)) != total {
		return fmt.Errorf("want %d emitted records, have %d lengths, %d offsets and %d flags", total, len(r.Lengths), len(r.Offsets), len(r.Same))
	}
	return nil
}

// bytes returns which bytes emitted record k has: NewBytes, InputBytes or AwayBytes.
func (r *Reply) bytes(k int) byte {
	if len(r.Same) == 0 {
		return NewBytes
	}
	return r.Same[k]
}

// checkRegion checks that new bytes lie in the granted memory: a plugin can spoil only its own output.
func (val *Validator) checkRegion(r *Reply, k int) error {
	off, n := r.Offsets[k], r.Lengths[k]
	switch b := r.bytes(k); {
	case b == InputBytes && (n != 0 || off != 0):
		return fmt.Errorf("want no place for a record that is its input's bytes, have offset %d and length %d", off, n)
	case b == InputBytes:
		return nil
	case b == AwayBytes && (n == 0 || n > math.MaxInt32 || off != 0 || len(val.Behind) == 0):
		return fmt.Errorf("want bytes that stay away inside a chain, with their length, have offset %d and length %d", off, n)
	case b == AwayBytes:
		return nil
	case b != NewBytes:
		return fmt.Errorf("want 0, 1 or 2 as the kind of the bytes of a record, have %d", b)
	}
	if n == 0 {
		return nil // an empty record, which is a reject
	}
	if val.region == nil {
		return fmt.Errorf("want no new records without a grant, have one of %d bytes", n)
	}
	size := uint64(len(val.region.Bytes()))
	if from := off - val.base; off < val.base || from > size || n > size-from {
		return fmt.Errorf("want new records inside the grant, have offset %d and length %d", off, n)
	}
	return nil
}

// BadRecord returns why new bytes of a plugin are no record, or "".
func BadRecord(plugin string, data []byte, depth int) string {
	if bad := jsontext.Check(data, depth); bad != nil {
		return fmt.Sprintf("want JSON from plugin %s, have %d bytes that are not: %s", plugin, len(data), bad.Message)
	}
	return ""
}

// BadRow returns why bytes are no side row, or "".
func BadRow(output string, row []byte, depth int) string {
	if jsontext.Check(row, depth) != nil || !jsontext.IsObject(row) {
		return fmt.Sprintf("want a JSON object for output %s, have %d bytes that are none", output, len(row))
	}
	return ""
}

// fault checks a fault, and hides secrets in what it says. Its Record is written as it is, so it is JSON on one line; it is required when away.
func (val *Validator) fault(v Verdict, f *Fault, away bool) *Fault {
	if v == Dropped || v == Declined && !away {
		f.Record = nil
	}
	if v != Rejected {
		f.Code = ""
		if f.Message == "" {
			f.Message = "no reason given"
		}
	} else if code := hidden(f.Code, val.HideNames); !IsCode(code) { // whole, since nobody would know a part of a secret for one
		f.Message = fmt.Sprintf("%s (code %q, which is not snake_case)", f.Message, code[:min(len(code), 64)])
		f.Code = PlainError
	}
	f.Message, f.Path = hidden(f.Message, val.Hide), hidden(f.Path, val.Hide)
	switch {
	case len(f.Record) == 0 && away && v != Dropped:
		f.Record = []byte("null")
	case len(f.Record) == 0:
	case jsontext.Check(f.Record, val.Depth) != nil:
		f.Record = []byte("null")
	case bytes.IndexByte(f.Record, '\n') >= 0 || bytes.IndexByte(f.Record, '\r') >= 0:
		f.Record = jsontext.AppendCompact(nil, f.Record)
	}
	return f
}

func hidden(text string, hide func(string) string) string {
	if hide == nil {
		return text
	}
	return hide(text)
}

// hiddenCounts returns counts whose names are without secrets. Names that become the same are added up by whoever sums up answers.
func (val *Validator) hiddenCounts(counts []Count) []Count {
	if val.HideNames == nil || len(counts) == 0 {
		return counts
	}
	counts = slices.Clone(counts)
	for i := range counts {
		counts[i].Name = val.HideNames(counts[i].Name)
	}
	return counts
}

// IsCode reports whether a text is a code of a reject: snake_case, at most 64 bytes.
func IsCode(s string) bool { return len(s) <= longestCode && code.MatchString(s) }

// code leaves the size to IsCode: an expression with a bound has a copy of its part for each repetition, in every process.
var code = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

const longestCode = 64

// sortLabels sorts labels by name; of labels with one name it keeps the last. It leaves sorted ones as they are: other records may
// share them.
func sortLabels(labels []Label) []Label {
	sorted := true
	for i := 1; i < len(labels); i++ {
		sorted = sorted && labels[i-1].Name < labels[i].Name
	}
	if sorted {
		return labels
	}
	slices.Reverse(labels)
	slices.SortStableFunc(labels, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(labels, func(a, b Label) bool { return a.Name == b.Name })
}
