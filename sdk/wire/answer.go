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
// dead letter in place of the record, which must not be written as it is or of which the host has no bytes.
type Fault struct {
	Code, Path, Message string
	Record              []byte
}

// A Side is one row that a step wrote beside the stream about the record of that index.
type Side struct {
	Index  int // in a Reply among the records of the batch, or of those that a step behind answers; in an Answer among In
	Output string
	JSON   []byte
}

// A Count is a named figure that a step adds to the receipt, such as a rule that hit or a loss.
type Count struct {
	Name string
	N    int64
}

// An Answer is what a chain says about the next len(Outcomes) records of a batch, let in by a Door: what its first step
// says, with what those behind it say of what became of these records.
type Answer struct {
	In       []Record // what it is about; of the first step nil
	Outcomes []Outcome
	Sides    []Side
	Counts   []Count
	Last     bool // no answer about the batch comes after this one

	Behind []Answer // one for each step behind the first
	Out    []Record // what leaves the chain; nil: as Outcomes say. It may be the memory of what came, or of what was emitted
	Spent  uint64   // share of the chain's time
}

// Empty tells that an answer says nothing.
func (a *Answer) Empty() bool {
	return len(a.Outcomes) == 0 && len(a.Sides) == 0 && len(a.Counts) == 0
}

// GoOn are the records that come of in, in order, in memory of their own.
func GoOn(in []Record, outcomes []Outcome) []Record {
	out := make([]Record, 0, len(in))
	for i := range outcomes {
		switch o := &outcomes[i]; o.Verdict {
		case Unchanged:
			out = append(out, in[i])
		case Emitted:
			out = append(out, o.Emitted...)
		}
	}
	return out
}

// A Reply is an answer as it crosses from a worker to the host: flat, and not to be trusted until a Door has let it in.
// PROTOCOL.md says what its members mean.
type Reply struct {
	Verdicts []byte   // one for each of the next records of the batch
	Emitted  []uint32 // for each verdict Emitted, how many records
	Same     []byte   // for each emitted record, what its bytes are: NewBytes, InputBytes or AwayBytes; empty: all are new
	Offsets  []uint64 // for each emitted record, where its bytes lie in the grant's memory
	Lengths  []uint64 // for each emitted record
	Labels   []Labels // of the emitted records that have other labels than their input
	Faults   []Fault  // for each verdict Dropped, Rejected or Declined
	Sides    []Side
	Counts   []Count
	Done     bool     // the batch is answered
	Away     [][]byte // of a traced chain: for each AwayBytes, the bytes, or none when they are too many to be told

	Behind []Reply // of a chain: what each step behind says of the records that reached it, all of them
	Spent  uint64  // of a chain: nanoseconds in the step over some of the records
}

// What the bytes of an emitted record are, in Reply.Same.
const (
	NewBytes   = iota // in the grant's memory
	InputBytes        // those of the record it came from
	AwayBytes         // in the process alone: the record does not leave the chain
)

// Labels are all labels of one emitted record of a Reply.
type Labels struct {
	Index  uint32 // among the emitted records of the Reply
	Labels []Label
}

// Empty tells that a reply says nothing.
func (r *Reply) Empty() bool {
	return len(r.Verdicts) == 0 && len(r.Sides) == 0 && len(r.Counts) == 0 && !r.Done
}
