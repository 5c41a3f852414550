package batch

// A Chunk is a run of records as a source read them.
type Chunk struct {
	Records []Record
	Faults  []*Fault // nil, or one per record, nil where the record is good
}

// Add appends r, with what is wrong with it or nil.
func (c *Chunk) Add(r Record, f *Fault) {
	c.Records = append(c.Records, r)
	if f == nil && c.Faults == nil {
		return
	}
	for len(c.Faults) < len(c.Records)-1 {
		c.Faults = append(c.Faults, nil)
	}
	c.Faults = append(c.Faults, f)
}
