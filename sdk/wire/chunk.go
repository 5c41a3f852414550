package wire

// A Record is one JSON value with its origin. Data lies in Mem and is never changed in place.
// Each holder of a Record holds one reference on Mem; ReleaseAll releases them.
type Record struct {
	Data   []byte
	Mem    *Region // nil when Data lies on the heap
	File   string  // origin, as the source named it
	Line   int64   // origin, counted from 1
	Ord    uint64  // place in the run's input, counted from 0; the flow sets it
	Labels []Label // sorted by name; shared, so never changed in place

	// Origins are the records that it was made of, if a step said so; File and Line are the place of the first. Nil: it was made of
	// the one at File and Line.
	Origins *Origins

	OfLine uint32 // its number among the records that begin on its line, from 0; the flow sets it
	Place  uint32 // for the flow: its number in a batch that a route split
	Away   int    // of a record inside a chain: how many bytes it has, when they are only in the plugin's process; Data holds a copy of a traced one
	Lethal []Lethal
}

// A Lethal record has ended the process of a chain. The step rejects it without processing it, with CrashCode.
type Lethal struct {
	Step, Nth int // the Nth record that reaches the step from the one of the batch
	Message   string
}

// Size returns how many bytes the record has, wherever they are.
func (r *Record) Size() int { return max(len(r.Data), r.Away) }

// A Label is a small string on a record that is not part of its JSON.
type Label struct{ Name, Value string }

// A Chunk is a run of records as a source read them.
type Chunk struct {
	Records []Record
	Faults  []*Fault // nil, or one per record, nil where the record is good
}

// Add appends r, with its fault or nil.
func (c *Chunk) Add(r Record, f *Fault) {
	c.Records = append(c.Records, r)
	if f == nil && c.Faults == nil {
		return
	}
	missing := len(c.Records) - 1 - len(c.Faults)
	c.Faults = append(append(c.Faults, make([]*Fault, missing)...), f)
}

// RetainAll takes one more reference on the memory of every record.
func RetainAll(records []Record) { addAll(records, 1) }

// ReleaseAll releases one reference on the memory of every record.
func ReleaseAll(records []Record) { addAll(records, -1) }

// addAll counts runs of records in one region together, since most of a batch lies in one.
func addAll(records []Record, sign int) {
	for i := 0; i < len(records); {
		mem, n := records[i].Mem, 0
		for ; i < len(records) && records[i].Mem == mem; i++ {
			n++
		}
		if mem != nil {
			mem.add(n * sign)
		}
	}
}
