package receipt

import "github.com/sluicehq/sluice/host/internal/flow"

// FirstReport counts the records that each member of a first took, which shows the members that can go. A record is a step's
// when the step did not decline it, whatever came of it then.
type FirstReport struct {
	First    string        `json:"first"`
	Records  int64         `json:"records"`           // that came
	Declined int64         `json:"declined"`          // by all of its steps
	Steps    []FirstMember `json:"steps"`             // in the order of the file
	Partial  bool          `json:"partial,omitempty"` // the run did not read everything, so no member is known to be unused
	Path     string        `json:"-"`                 // of the report, empty when there is none
}

// FirstMember is one step of a first, the current one of a shadow.
type FirstMember struct {
	Step       string    `json:"step"`
	Rows       int64     `json:"rows"`     // records it did not decline
	Rejected   int64     `json:"rejected"` // of them
	Share      float64   `json:"share"`    // of the records that came, 0 to 1
	First      *Position `json:"first"`
	Last       *Position `json:"last"`
	Deprecated string    `json:"deprecated,omitempty"`
	CanGo      bool      `json:"can_go"` // no record needed it
}

// RouteReport counts the records that took each branch of a route.
type RouteReport struct {
	Route    string   `json:"route"`
	Branches []Branch `json:"ways"` // in the order of the file, the default last
}

// Branch is a case of a route, or its default.
type Branch struct {
	Case    string `json:"case"`
	Default bool   `json:"default,omitempty"`
	Records int64  `json:"records"`
}

// ShadowReport says how the records of the two steps of a shadow differ.
type ShadowReport struct {
	Shadow    string `json:"shadow"`
	Current   string `json:"current"`           // step
	Candidate string `json:"candidate"`         // step
	Partial   bool   `json:"partial,omitempty"` // the run did not read everything
	flow.Comparison
	Path string `json:"-"` // of the report
}
