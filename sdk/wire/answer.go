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

// A Fault says why a record did not go on. Path is a gjson path or empty. The dead letter shows Record, when there is one,
// instead of a record that must not be written as it is or whose bytes the host does not have.
type Fault struct {
	Code, Path, Message string
	Record              []byte
}

// A Side is one row that a step wrote to a side output about the record of that index.
type Side struct {
	Index  int // in a Reply among the records of the batch, or among those that a later step answers; in an Answer among In
	Output string
	JSON   []byte
}

// A Count is a named figure that a step adds to the receipt, such as a rule that matched or a loss.
type Count struct {
	Name string
	N    int64
}

// An Answer is a chain's answer to the next len(Outcomes) records of a batch, checked by a Validator: its first step's outcomes,
// and the answers of the later steps to what came of these records.
type Answer struct {
	In       []Record // the records answered; nil for the first step
	Outcomes []Outcome
	Sides    []Side
	Counts   []Count
	Made     []Record // by Flush after the last record, of no record of the batch; each has Origins
	Last     bool     // the last answer about the batch

	Behind []Answer // one for each later step
	Out    []Record // what leaves the chain; nil: as Outcomes say. It may share memory with In or with emitted records
	Spent  uint64   // share of the chain's time

	declined int      // how many outcomes are Declined
	alike    bool     // all are, for one fault
	new      []Record // all emitted records, in order; nil: as Outcomes say
}

// Empty reports whether an answer holds nothing.
func (a *Answer) Empty() bool {
	return len(a.Outcomes) == 0 && len(a.Made) == 0 && len(a.Sides) == 0 && len(a.Counts) == 0
}

// AllDeclined returns the fault for which all records were declined, nil if some were not, or not for the same.
func (a *Answer) AllDeclined() *Fault {
	if !a.alike || a.Outcomes[0].Verdict != Declined { // the host may have made rejects of declines
		return nil
	}
	return a.Outcomes[0].Fault
}

// GoOn returns the records that go on from in, in order, in memory of their own.
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

// A Reply is an answer as a worker sends it to the host: flat, and not trusted until a Validator has admitted it.
// PROTOCOL.md explains its members.
type Reply struct {
	Verdicts []byte   // one for each of the next records of the batch
	Emitted  []uint32 // for each verdict Emitted, how many records; Flush emits records without a verdict
	Same     []byte   // for each emitted record, which bytes it has: NewBytes, InputBytes or AwayBytes; empty: all are new
	Offsets  []uint64 // for each emitted record, where its bytes lie in the grant's memory
	Lengths  []uint64 // for each emitted record
	Labels   []Labels // of the emitted records whose labels differ from their input's
	Origins  []NewOrigins
	Faults   []Fault    // for each verdict Dropped, Rejected or Declined, unless Runs say which
	Runs     []FaultRun // which of Faults such verdicts have, in order; empty: each one of its own
	Sides    []Side
	Counts   []Count
	Done     bool     // the batch is answered
	Away     [][]byte // in a traced chain: for each AwayBytes, the bytes, or none when they are too many

	Behind []Reply // in a chain: each later step's reply to all records that reached it
	Spent  uint64  // in a chain: nanoseconds in the step for some of the records
}

// Which bytes an emitted record has, in Reply.Same.
const (
	NewBytes   = iota // in the grant's memory
	InputBytes        // the bytes of its input
	AwayBytes         // only in the process: the record does not leave the chain
)

// Labels are all labels of an emitted record of a Reply, and of those after it that have the same.
type Labels struct {
	Index  uint32 // among the emitted records of the Reply
	N      uint32 // how many records; 0 and 1: one
	Labels []Label
}

// NewOrigins are the origins of one emitted record of a Reply, which differ from those of its input.
type NewOrigins struct {
	Index   uint32 // among the emitted records of the Reply
	Origins *Origins
}

// Empty reports whether a reply holds nothing.
func (r *Reply) Empty() bool {
	return len(r.Verdicts) == 0 && len(r.Lengths) == 0 && len(r.Sides) == 0 && len(r.Counts) == 0 && !r.Done
}
