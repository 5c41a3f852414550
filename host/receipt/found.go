package receipt

import "github.com/sluicehq/sluice/host/internal/flow"

// A Ranking is what each member of a first took, so that it shows which of them can go. A record is a step's when the step
// did not decline it, whatever came of it then.
type Ranking struct {
	First    string   `json:"first"`
	Records  int64    `json:"records"`           // that came
	Declined int64    `json:"declined"`          // by all of its steps
	Steps    []Ranked `json:"steps"`             // as they stand in the file
	Partial  bool     `json:"partial,omitempty"` // the run was not whole, so nobody knows what can go
	Path     string   `json:"-"`                 // of the report, empty when there is none
}

// A Ranked is one step of a first, the current one of a shadow.
type Ranked struct {
	Step       string    `json:"step"`
	Rows       int64     `json:"rows"`     // records it did not decline
	Rejected   int64     `json:"rejected"` // of them
	Share      float64   `json:"share"`    // of the records that came, 0 to 1
	First      *Position `json:"first"`
	Last       *Position `json:"last"`
	Deprecated string    `json:"deprecated,omitempty"`
	CanGo      bool      `json:"can_go"` // no record needed it
}

// A Branching is how many records went each way of a route.
type Branching struct {
	Route string   `json:"route"`
	Ways  []Branch `json:"ways"` // as they stand in the file, the default last
}

// A Branch is one way of a route.
type Branch struct {
	Case    string `json:"case"`
	Default bool   `json:"default,omitempty"`
	Records int64  `json:"records"`
}

// A Comparison is what a shadow block found: how its two steps differ.
type Comparison struct {
	Shadow    string `json:"shadow"`
	Current   string `json:"current"`           // step
	Candidate string `json:"candidate"`         // step
	Partial   bool   `json:"partial,omitempty"` // the run was not whole
	flow.Comparison
	Path string `json:"-"` // of the report
}
