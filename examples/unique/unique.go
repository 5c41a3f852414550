// Command sluice-plugin-unique is a plugin of one's own that knows what came before: it drops repeated records.
package main

import (
	"context"
	"encoding/gob"
	"io"

	"github.com/sluicehq/sluice/sdk"
)

func main() { sdk.Main(unique) }

// unique is the plugin. It is ordered, so that one worker sees all records, in the order of the input.
var unique = sdk.Plugin{
	Name:    "unique",
	Doc:     "drops records whose key came before",
	Args:    config{},
	New:     open,
	Ordered: true,
	Codes:   map[string]string{"no_key": "the record does not have the key, so it cannot be compared with earlier ones"},
	Drops:   map[string]string{"duplicate": "an earlier record has the same key"},
}

type config struct {
	Key string `hcl:"key" doc:"the gjson path of the value that identifies a record"`
}

// filter implements sdk.Saver.
type filter struct {
	config
	seen map[string]bool
}

func open(a sdk.Args) (sdk.Processor, error) {
	f := &filter{seen: map[string]bool{}}
	return f, a.Decode(&f.config)
}

// Process emits a record whose key is new.
func (f *filter) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	key := r.Get(f.Key) // a copy, unlike View: seen keeps it
	if !key.Exists() {
		return sdk.Reject("no_key", f.Key, "want a key")
	}
	id := key.Type.String() + " " + key.String() // the number 1 is not the string "1"
	if f.seen[id] {
		return sdk.Drop("duplicate")
	}
	f.seen[id] = true
	emit(r)
	return nil
}

// Save writes how many keys there are, and each of them.
func (f *filter) Save(w io.Writer) error {
	state := gob.NewEncoder(w)
	err := state.Encode(len(f.seen))
	for id := range f.seen {
		if err == nil {
			err = state.Encode(id)
		}
	}
	return err
}

// Restore reads what Save wrote.
func (f *filter) Restore(r io.Reader) error {
	state, n := gob.NewDecoder(r), 0
	err := state.Decode(&n)
	for range n {
		var id string
		if err = state.Decode(&id); err != nil {
			break
		}
		f.seen[id] = true
	}
	return err
}
