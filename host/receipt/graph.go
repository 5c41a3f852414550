package receipt

// A Graph is a pipeline file as it can be drawn, with the counts of a run if it has run.
type Graph struct {
	Body       []Stop `json:"body"`        // the sources and what comes behind them, in the order of the file
	DeadLetter Stop   `json:"dead_letter"` // a sink
}

// A Stop is something on the way of the records: a source, step, first, route, tee, shadow or sink.
type Stop struct {
	Kind   string  `json:"kind"`
	Name   string  `json:"name"`             // TYPE.NAME, or the name of what has no type
	Note   string  `json:"note,omitempty"`   // what is read or written, what a route is on, or why a step should go
	Ways   []Way   `json:"ways,omitempty"`   // that begin there, in the order of the file
	Counts *Counts `json:"counts,omitempty"` // nil when nobody knows them
}

// Counts are the records of a run that came to a stop, went on, and ended there. What a step emits beyond one record for each
// counts as Out alone. Those of a first sum up its members, and Declined are the records that no member took, which are
// rejected; those of a shadow are of its current step. Of a sink Out is what it wrote, and of a source Rejected is what it could
// not read.
type Counts struct {
	In       int64 `json:"in"`
	Out      int64 `json:"out"`
	Dropped  int64 `json:"dropped"`
	Rejected int64 `json:"rejected"`
	Declined int64 `json:"declined"`
}

// A Way begins at a stop.
type Way struct {
	Kind    string `json:"kind"`           // member of a first, case, default, tee, output, current, candidate, or differs
	Name    string `json:"name,omitempty"` // of a case its value, of an output its name
	Records int64  `json:"records"`        // that took it; 0 when nobody knows
	Stops   []Stop `json:"stops"`
}
