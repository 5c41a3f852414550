// Command sluice-plugin-join is a plugin of one's own that makes one record of several: it joins the records of a session.
package main

import (
	"context"

	"github.com/sluicehq/sluice/sdk"
)

func main() { sdk.Main(join) }

// join is the plugin. It is ordered, so that one worker sees all records of a session, in the order of the input.
var join = sdk.Plugin{
	Name: "join", Doc: "joins the records of a session into one record", Args: config{Open: 1000}, New: open, Ordered: true,
	Codes: map[string]string{"no_key": "the record does not have the key, so it belongs to no session"},
}

type config struct {
	Key  string `hcl:"key" doc:"the gjson path of the value that names the session of a record"`
	Open int    `hcl:"open,optional" doc:"how many sessions may be unfinished; with more, the one that began first is finished"`
}

// joiner implements sdk.Flusher.
type joiner struct {
	config
	sessions []*session // unfinished, in the order in which they began
	byKey    map[string]*session
}

type session struct {
	key     string // JSON
	records []byte // with commas between them
	origins []sdk.Pos
}

func open(a sdk.Args) (sdk.Processor, error) {
	j := &joiner{byKey: map[string]*session{}}
	return j, a.Decode(&j.config)
}

// Process adds a record to its session. The record itself does not go on.
func (j *joiner) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	key := r.Get(j.Key).Raw // a copy, unlike View: the session keeps it
	if key == "" {
		return sdk.Reject("no_key", j.Key, "want a key")
	}
	s := j.byKey[key]
	if s == nil {
		s = &session{key: key}
		j.sessions, j.byKey[key] = append(j.sessions, s), s
	} else {
		s.records = append(s.records, ',')
	}
	s.records = append(s.records, r.JSON()...)
	s.origins = append(s.origins, r.Origins()...)
	if len(j.sessions) <= max(j.Open, 1) {
		return sdk.Drop("joined")
	}
	j.finish(r, emit)
	return nil
}

// Flush finishes the sessions that are unfinished after the last record.
func (j *joiner) Flush(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	for len(j.sessions) > 0 {
		j.finish(r, emit)
	}
	return nil
}

// finish emits the session that began first. Its origins are all of its records, not the one at hand.
func (j *joiner) finish(r *sdk.Record, emit func(*sdk.Record)) {
	s := j.sessions[0]
	j.sessions = j.sessions[1:]
	delete(j.byKey, s.key)
	joined := r.Derive([]byte(`{"session":` + s.key + `,"records":[` + string(s.records) + `]}`))
	joined.SetOrigins(s.origins...)
	emit(joined)
}
