package receipt

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sluicehq/sluice/host/plural"
)

// Check compares the counts with their sums and with the files, sets Balanced and Unbalanced, and returns what does not add up
// as an error. handed is the number of records that the run passed to each sink, by the name that Outputs have in Sink.
func (r *Receipt) Check(handed map[string]int64) error {
	r.checkSums()
	r.checkHanded(handed)
	return r.checkRest()
}

// Recheck does what Check does, for a receipt read from a file, which does not say what each sink was handed.
func (r *Receipt) Recheck() error {
	r.checkSums()
	return r.checkRest()
}

func (r *Receipt) checkRest() error {
	r.checkWritten()
	r.checkGraph()
	r.Balanced = len(r.Unbalanced) == 0
	switch n := len(r.Unbalanced); n {
	case 0:
		return nil
	case 1:
		return errors.New(r.Unbalanced[0])
	default:
		return fmt.Errorf("%s (and %d more)", r.Unbalanced[0], n-1)
	}
}

func (r *Receipt) checkSums() {
	r.Unbalanced = nil
	var read int64
	for _, in := range r.Inputs {
		read += in.Records
	}
	if r.Partial != nil {
		read = r.Partial.records()
	}
	if read != r.Totals.Read {
		r.note("inputs hold %s, the run read %d", plural.Of(read, "record"), r.Totals.Read)
	}
	for _, s := range r.Steps {
		r.checkStep(s)
	}
	t := r.Totals
	came, went := t.Read+t.Extra+t.Teed, t.Written+t.Dropped.Total+t.Rejected.Total
	if came != went {
		r.note("run: %d read + %d extra + %d teed = %d, but %d written + %d dropped + %d rejected = %d",
			t.Read, t.Extra, t.Teed, came, t.Written, t.Dropped.Total, t.Rejected.Total, went)
	}
	r.parts("run: dropped", t.Dropped)
	r.parts("run: rejected", t.Rejected)
}

func (r *Receipt) checkStep(s StepAccount) {
	what := "step " + s.Name
	came, went := s.In+s.Extra, s.Out+s.Dropped.Total+s.Rejected.Total+s.Declined.Total
	if came != went {
		r.note("%s: %d in + %d extra = %d, but %d out + %d dropped + %d rejected + %d declined = %d", what,
			s.In, s.Extra, came, s.Out, s.Dropped.Total, s.Rejected.Total, s.Declined.Total, went)
	}
	r.parts(what+": dropped", s.Dropped)
	r.parts(what+": rejected", s.Rejected)
	r.parts(what+": declined", s.Declined)
}

// checkHanded compares the records that the run passed to each sink with those on disk.
func (r *Receipt) checkHanded(handed map[string]int64) {
	onDisk := map[string]int64{}
	for _, o := range r.Outputs {
		onDisk[o.Sink] += o.Records
	}
	for name := range handed {
		onDisk[name] += 0
	}
	for _, name := range slices.Sorted(maps.Keys(onDisk)) {
		if handed[name] != onDisk[name] {
			r.note("sink %s: the run handed it %s, on disk are %d", name, plural.Of(handed[name], "record"), onDisk[name])
		}
	}
}

// checkWritten compares the totals with the records on disk.
func (r *Receipt) checkWritten() {
	var written, rejected int64
	for _, o := range r.Outputs {
		switch o.Side {
		case "":
			written += o.Records
		case DeadLetter:
			rejected += o.Records
		}
	}
	if written != r.Totals.Written {
		r.note("run: %d written, but %d in the outputs of the stream", r.Totals.Written, written)
	}
	if rejected != r.Totals.Rejected.Total {
		r.note("run: %d rejected, but %d in the dead letter", r.Totals.Rejected.Total, rejected)
	}
}

func (r *Receipt) note(format string, args ...any) {
	r.Unbalanced = append(r.Unbalanced, fmt.Sprintf(format, args...))
}

// parts notes a breakdown whose parts do not add up.
func (r *Receipt) parts(what string, b Breakdown) {
	if sum := Sum(b.By).Total; sum != b.Total {
		r.note("%s %d, but one by one %d", what, b.Total, sum)
	}
}
