package plan

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/nearest"
)

// streamed is the kind of source that reads standard input in place of another.
const streamed = "jsonl"

// StreamSource returns the source that a stream of records comes from: the one with a name, NAME or TYPE.NAME, or the only one.
func StreamSource(tree *config.Pipeline, name string) (string, config.Diagnostics) {
	var known []string
	for _, s := range tree.Sources {
		label := s.Type + "." + s.Name
		if name == s.Name || name == label || name == "" && len(tree.Sources) == 1 {
			return s.Name, nil
		}
		known = append(known, label)
	}
	wrong := tree.AtRange(config.Range{}, "cannot tell which source is meant", "want the name of one of "+strings.Join(known, ", "))
	if name != "" {
		wrong = tree.AtRange(config.Range{}, fmt.Sprintf("unknown source %q", name), "want "+config.OneOf(known))
		wrong.Suggestion = nearest.Word(name, known)
	}
	return "", config.Diagnostics{wrong}
}

// envelop has all sinks write to standard output.
func (p *Plan) envelop() {
	to := output.NewEnvelopes(p.opts.Stdout)
	for _, sink := range p.Sinks {
		name, kind := sink.Name, "record"
		if sink.config != nil {
			name = sink.config.Name
		}
		if sink.Side == receipt.DeadLetter {
			kind = "reject"
		}
		sink.enveloped = to.Of(sink.sink, name, kind)
		sink.Writer = sink.enveloped
	}
}

// Bytes returns how many bytes the rows of a stream had.
func (sink *Sink) Bytes() int64 { return sink.enveloped.Bytes() }
