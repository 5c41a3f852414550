package wire

// A Verdict is what a step decided about one record.
type Verdict uint8

const (
	Unchanged Verdict = iota // goes on as it came
	Emitted                  // replaced by Outcome.Emitted, one or more records
	Dropped                  // left out on purpose, for Fault.Message
	Rejected                 // could not be accepted: Fault says why
	Declined                 // "not mine": the next step of a first gets it
)

// An Outcome is the answer to one record.
type Outcome struct {
	Verdict Verdict
	Emitted []Record // only with verdict Emitted
	Fault   *Fault   // only with Dropped, Rejected and Declined
}

// A Fault says why a record did not go on. Path is a gjson path or empty. Record, when there is one, stands in the
// dead letter in place of the record, which must not be written as it is.
type Fault struct {
	Code, Path, Message string
	Record              []byte
}

// A Side is one row that a step wrote beside the stream about input record Index of the batch.
type Side struct {
	Index  int
	Output string
	JSON   []byte
}

// A Count is a named figure that a step adds to the receipt, such as a rule that hit or a loss.
type Count struct {
	Name string
	N    int64
}

// An Answer is what a step says about the next len(Outcomes) records of a batch, let in by a Door.
type Answer struct {
	Outcomes []Outcome
	Sides    []Side
	Counts   []Count
	Last     bool // no answer about the batch comes after this one
}

// A Reply is an answer as it crosses from a worker to the host: flat, and not to be trusted until a Door has let it in.
// PROTOCOL.md says what its members mean.
type Reply struct {
	Verdicts []byte   // one for each of the next records of the batch
	Emitted  []uint32 // for each verdict Emitted, how many records
	Same     []byte   // for each emitted record, 1 when it is the input's bytes; empty: none is
	Offsets  []uint64 // for each emitted record, where its bytes lie in the grant's memory
	Lengths  []uint64 // for each emitted record
	Labels   []Labels // of the emitted records that have other labels than their input
	Faults   []Fault  // for each verdict Dropped, Rejected or Declined
	Sides    []Side
	Counts   []Count
	Done     bool // the batch is answered
}

// Labels are all labels of one emitted record of a Reply.
type Labels struct {
	Index  uint32 // among the emitted records of the Reply
	Labels []Label
}

// Empty tells that a reply says nothing.
func (r *Reply) Empty() bool {
	return len(r.Verdicts) == 0 && len(r.Sides) == 0 && len(r.Counts) == 0 && !r.Done
}
