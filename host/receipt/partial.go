package receipt

import "fmt"

// A Partial is what a run took that was not whole. Its inputs are only those files that were read to their ends.
type Partial struct {
	Limit  int64   `json:"limit,omitempty"`  // the first so many records
	Sample int64   `json:"sample,omitempty"` // so many of all records, drawn by the seed and by where they stand
	Seed   uint64  `json:"seed,omitempty"`   // of a sample
	Bytes  int64   `json:"bytes"`            // of the records that were taken
	Taken  []Taken `json:"taken"`            // in the order in which they were read
}

// Taken is how many records of a file a run took.
type Taken struct {
	Name    string `json:"name"`
	Records int64  `json:"records"`
}

// String is as in "the first 5 records".
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
