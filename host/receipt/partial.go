package receipt

import "fmt"

// Partial says which records a run took that did not read everything. The Inputs of its receipt are only those files that it
// read to their ends.
type Partial struct {
	Limit  int64          `json:"limit,omitempty"`  // the first ones, as many as this
	Sample int64          `json:"sample,omitempty"` // as many as this of all records, drawn by the seed and by their positions
	Seed   uint64         `json:"seed,omitempty"`   // of a sample
	Bytes  int64          `json:"bytes"`            // of the records that were taken
	Taken  []PartialInput `json:"taken"`            // in the order in which they were read
}

// PartialInput says how many records of a file a run took.
type PartialInput struct {
	Name    string `json:"name"`
	Records int64  `json:"records"`
}

// String returns a phrase as in "the first 5 records".
func (p *Partial) String() string {
	if p.Sample > 0 {
		return fmt.Sprintf("a sample of %d records, drawn by seed %d", p.Sample, p.Seed)
	}
	return fmt.Sprintf("the first %d records", p.Limit)
}

func (p *Partial) records() (n int64) {
	for _, t := range p.Taken {
		n += t.Records
	}
	return n
}
