package receipt

// Graph is a pipeline file as it can be drawn, with the counts of a run if it has run.
type Graph struct {
	Body       []Node `json:"body"`        // the sources and what comes behind them, in the order of the file
	DeadLetter Node   `json:"dead_letter"` // a sink
}

// Node is a source, step, first, route, tee, shadow or sink of a pipeline.
type Node struct {
	Kind   string  `json:"kind"`
	Name   string  `json:"name"`             // TYPE.NAME, or NAME for a block without a type
	Note   string  `json:"note,omitempty"`   // what is read or written, what a route is on, or why a step should go
	Edges  []Edge  `json:"ways,omitempty"`   // to the blocks inside it, in the order of the file
	Counts *Counts `json:"counts,omitempty"` // nil when they are not known
}

// Counts says how many records of a run came to a node, went on, and ended there. What a step emits beyond one record for each
// counts as Out alone. A first sums up its members; its Declined are the records that no member took, which are rejected. A
// shadow has the counts of its current step. Out of a sink is what it wrote, Rejected of a source is what it could not read.
type Counts struct {
	In       int64 `json:"in"`
	Out      int64 `json:"out"`
	Dropped  int64 `json:"dropped"`
	Rejected int64 `json:"rejected"`
	Declined int64 `json:"declined"`
}

// Edge leads from a node to the nodes inside it, one behind the other.
type Edge struct {
	Kind    string `json:"kind"`           // member of a first, case, default, tee, output, current, candidate, or differs
	Name    string `json:"name,omitempty"` // of a case its value, of an output its name
	Records int64  `json:"records"`        // that took it; 0 when not known
	Nodes   []Node `json:"stops"`
}
