package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/explain"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/trace"
)

// rejected are the first records of a dead letter with a code.
func (e *explaining) rejected(p *host.Pipeline) (wanted []trace.Input, err error) {
	path := e.deadLetter
	if path == "" {
		if path, err = p.DeadLetter(); err != nil {
			return nil, err
		}
	}
	in, err := openRows(path, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("want the dead letter of a run at %s, have none: run the pipeline first, or say --dead-letter PATH", path)
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	codes := map[string]int64{}
	for len(wanted) < e.count {
		row, err := in.ReadBytes('\n')
		if x := gjson.ParseBytes(row); x.IsObject() {
			code := x.Get("code").Str
			if codes[code]++; code == e.rejects {
				w, err := explain.Rejected(x)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", path, err)
				}
				if !slices.ContainsFunc(wanted, func(o trace.Input) bool { return o.File == w.File && o.Line == w.Line }) {
					wanted = append(wanted, w)
				}
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if len(wanted) == 0 {
		have := "no reject"
		if len(codes) > 0 {
			have = breakdown(codes)[0]
		}
		return nil, fmt.Errorf("%s: want a reject with code %q, have %s", path, e.rejects, have)
	}
	return wanted, nil
}
