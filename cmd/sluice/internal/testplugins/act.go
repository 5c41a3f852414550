package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/sluicehq/sluice/sdk"
)

// act does what the member "do" of a record says.
var act = sdk.Plugin{
	Name: "act",
	Doc:  "does what a record says",
	New:  func(sdk.Args) (sdk.Processor, error) { return sdk.Func(doing), nil },

	Outputs: []string{"log", "rows"}, Labels: []string{"*"},
}

func doing(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	what, with, _ := strings.Cut(r.Get("do").String(), " ")
	switch what {
	case "reject":
		return sdk.Reject(with, "do", "want a record that asks for something else")
	case "drop":
		return sdk.Drop(with)
	case "decline":
		return sdk.Decline(with)
	case "fatal":
		return sdk.Fatal("%s", with)
	case "fail":
		return fmt.Errorf("want luck, have a bad day")
	case "label":
		name, value, _ := strings.Cut(with, "=")
		r.SetLabel(name, value)
	case "count":
		r.Count(with, 1)
	case "side":
		r.Side(with, r.JSON())
	case "say":
		fmt.Fprintln(os.Stderr, with)
	case "panic":
		panic(with)
	case "twice":
		emit(r)
	}
	emit(r)
	return nil
}
