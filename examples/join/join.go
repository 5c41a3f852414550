// Command sluice-plugin-join is a plugin of one's own that makes one record of several: it joins the records of a session.
package main

import (
	"context"
	"encoding/gob"
	"io"

	"github.com/sluicehq/sluice/sdk"
)

func main() { sdk.Main(join) }

// join is the plugin. It is ordered, so that one worker sees all records of a session, in the order of the input.
var join = sdk.Plugin{
	Name: "join", Doc: "joins the records of a session into one record", Args: config{Open: 1000}, New: open, Ordered: true,
	Codes: map[string]string{"no_key": "the record does not have the key, so it belongs to no session"},
	Drops: map[string]string{"joined": "the record is part of the joined record of its session"},
}

type config struct {
	Key  string `hcl:"key" doc:"the gjson path of the value that names the session of a record"`
	Open int    `hcl:"open,optional" doc:"how many sessions may be unfinished; with more, the one that began first is finished"`
}

// joiner implements sdk.Flusher and sdk.Saver.
type joiner struct {
	config
	sessions []*session // unfinished, in the order in which they began
	byKey    map[string]*session
}

type session struct {
	Key     string // JSON
	Records []byte // with commas between them
	Origins []sdk.Pos
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
		s = &session{Key: key}
		j.sessions, j.byKey[key] = append(j.sessions, s), s
	} else {
		s.Records = append(s.Records, ',')
	}
	s.Records = append(s.Records, r.JSON()...)
	s.Origins = append(s.Origins, r.Origins()...)
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
	delete(j.byKey, s.Key)
	joined := r.Derive([]byte(`{"session":` + s.Key + `,"records":[` + string(s.Records) + `]}`))
	joined.SetOrigins(s.Origins...)
	emit(joined)
}

// Save writes how many sessions are unfinished, and each of them.
func (j *joiner) Save(w io.Writer) error {
	state := gob.NewEncoder(w)
	err := state.Encode(len(j.sessions))
	for _, s := range j.sessions {
		if err == nil {
			err = state.Encode(s)
		}
	}
	return err
}

// Restore reads what Save wrote.
func (j *joiner) Restore(r io.Reader) error {
	state, n := gob.NewDecoder(r), 0
	err := state.Decode(&n)
	for range n {
		s := &session{}
		if err = state.Decode(s); err != nil {
			break
		}
		j.sessions, j.byKey[s.Key] = append(j.sessions, s), s
	}
	return err
}
