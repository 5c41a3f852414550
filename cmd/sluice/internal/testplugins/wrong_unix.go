//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
	"github.com/sluicehq/sluice/sdk/wire/rpc/rpctest"
)

func init() {
	plugins["faulty"] = rpctest.ServeFaulty
	plugins["careless"] = serving(careless)
	plugins["sloppy"] = serving(sloppy)
	plugins["forgetful"] = serving(forgetful)
	plugins["unsaved"] = serving(unsaved)
	plugins["misnamed"] = serving(upper)
	plugins["tame"] = func() {
		if os.Getenv(rpc.Handshake.MagicCookieKey) == "" {
			os.Exit(0)
		}
		sdk.Main(named(upper, "tame"))
	}
	plugins["newest"] = func() {
		offered := strings.Split(os.Getenv("PLUGIN_PROTOCOL_VERSIONS"), ",")
		fmt.Printf("1|%s|tcp|127.0.0.1:1|grpc|\n", offered[len(offered)-1])
		_, _ = os.NewFile(3, "alive").Read(make([]byte, 1))
	}
	plugins["undead"] = func() {
		os.Unsetenv(rpc.AliveEnv)
		sdk.Main(named(upper, "undead"))
	}
	plugins["sulks"] = func() {
		rpc.Serve(sdk.Host(named(upper, "sulks")))
		os.Exit(3)
	}
}

// careless declares an attribute that has to be there, and looks at none.
var careless = sdk.Plugin{
	Name: "careless",
	Doc:  "takes whatever it is given",
	Args: struct {
		Limit int `hcl:"limit" doc:"of what nobody counts"`
	}{},
	New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(func(*sdk.Record) error { return nil }), nil },
}

// forgetful counts records, and saves no state that it could go on from.
var forgetful = sdk.Plugin{
	Name: "forgetful", Doc: "counts records and forgets how many there were", Ordered: true,
	New: func(sdk.Args) (sdk.Processor, error) { return &forgetting{}, nil },
}

// unsaved keeps a state and cannot save it.
var unsaved = sdk.Plugin{
	Name: "unsaved", Doc: "keeps what it cannot save", Ordered: true,
	New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(func(*sdk.Record) error { return nil }), nil },
}

type forgetting struct{ n int }

func (f *forgetting) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	f.n++
	err := r.Set("n", f.n)
	emit(r)
	return err
}

func (f *forgetting) Save(io.Writer) error { return nil }

func (f *forgetting) Restore(io.Reader) error { return nil }

// sloppy does in each of its modes one thing that no plugin should.
var sloppy = sdk.Plugin{
	Name: "sloppy",
	Doc:  "does what no plugin should",
	Args: struct {
		Mode string `hcl:"mode,optional" doc:"what it does"`
	}{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg struct {
			Mode string `hcl:"mode,optional"`
		}
		s := &slop{worker: a.Worker}
		err := a.Decode(&cfg)
		s.mode = cfg.Mode
		return sdk.Map(s.process), err
	},
}

type slop struct {
	mode    string
	worker  int
	records int
	kept    []byte
}

func (s *slop) process(r *sdk.Record) error {
	s.records++
	row := r.JSON()
	switch s.mode {
	case "chance":
		return r.SetRaw("luck", fmt.Appendf(nil, "%d", rand.Int()))
	case "worker":
		return r.SetRaw("worker", fmt.Appendf(nil, "%d", s.worker))
	case "counts":
		return r.Set("n", s.records)
	case "keep":
		before := fmt.Sprintf("%x", s.kept)
		s.kept = row
		return r.Set("before", before)
	case "tires":
		if s.records > 60_000 {
			panic("that was enough")
		}
	case "small":
		if len(row) > 1<<20 {
			panic("too much at once")
		}
	case "simple":
		if row[0] != '{' {
			panic("want an object")
		}
	case "respells", "respells-or-rejects":
		var members map[string]json.RawMessage
		if err := json.Unmarshal(row, &members); err != nil {
			return err
		}
		for name, raw := range members {
			var v any
			if err := json.Unmarshal(raw, &v); err != nil && s.mode == "respells-or-rejects" {
				return err
			} else if err != nil {
				continue
			}
			text, err := json.Marshal(v)
			if err == nil {
				err = r.SetRaw(name, text)
			}
			if err != nil {
				return err
			}
		}
	case "chatty":
		_, err := syscall.Write(1, []byte("another record!\n")) // where fmt does not lead in a plugin
		return err
	}
	return nil
}
