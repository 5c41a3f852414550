package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
)

type heraldArgs struct {
	Pipe string `hcl:"pipe"`
}

// herald writes its process id to a named pipe when the first record comes.
var herald = sdk.Plugin{
	Name: "herald",
	Doc:  "tells when the first record has come",
	Args: heraldArgs{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg heraldArgs
		told := false
		return sdk.Map(func(*sdk.Record) error {
			if told {
				return nil
			}
			told = true
			return os.WriteFile(cfg.Pipe, []byte(strconv.Itoa(os.Getpid())), 0)
		}), a.Decode(&cfg)
	},
}

type gateArgs struct {
	Pipe string `hcl:"pipe"`
}

// gate holds every record that asks for it until a line comes through a named pipe, and says then what the line says.
var gate = sdk.Plugin{
	Name:    "gate",
	Doc:     "holds records until it is told to go on",
	Args:    gateArgs{},
	Ordered: true,
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg gateArgs
		if err := a.Decode(&cfg); err != nil {
			return nil, err
		}
		pipe, err := os.OpenFile(cfg.Pipe, os.O_RDWR, 0) // so that it waits for lines, not for somebody to open it
		if err != nil {
			return nil, err
		}
		lines := bufio.NewReader(pipe)
		return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
			if r.Get("hold").Bool() {
				line, err := lines.ReadString('\n')
				if err != nil {
					return err
				}
				fmt.Fprint(os.Stderr, line)
			}
			emit(r)
			return nil
		}), nil
	},
}
