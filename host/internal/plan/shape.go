package plan

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
)

// Shape describes the pipeline as far as its rows depend on it, besides what its plugins are and which attributes they have: for each node
// its kind, its name and what is in it.
func (p *Plan) Shape() any { return p.shape(p.tree.Body) }

func (p *Plan) shape(nodes []config.Node) any {
	return map[string]any{"body": p.shapeOf(nodes), "record": p.RecordLimit, "depth": p.Depth, "hash": p.tree.Hash}
}

func (p *Plan) shapeOf(nodes []config.Node) (all []any) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *config.Step:
			s := []any{"step", p.steps[n].Label()}
			for _, o := range n.Outputs {
				s = append(s, o.Name, p.sinkShape(o.Sink))
			}
			all = append(all, s)
		case *config.First:
			all = append(all, []any{"first", n.Name, p.shapeOf(n.Members)})
		case *config.Route:
			r := []any{"route", n.Name, n.On}
			for _, c := range n.Cases {
				r = append(r, c.Value, p.shapeOf(c.Body))
			}
			if n.HasDefault {
				r = append(r, "default", p.shapeOf(n.Default))
			}
			all = append(all, r)
		case *config.Tee:
			all = append(all, []any{"tee", n.Name, p.shapeOf(n.Body)})
		case *config.Sink:
			all = append(all, p.sinkShape(n))
		case *config.Shadow: // see checkStored
		default:
			panic(fmt.Sprintf("plan: no case for a node of type %T", n))
		}
	}
	return all
}

// sinkShape leaves out where a sink writes, but for the labels that say into which of its files. The types of its columns say
// which rows it refuses.
func (p *Plan) sinkShape(c *config.Sink) any {
	sink := p.sinks[c]
	return []any{"sink", sink.Name, sink.sink.Labels(), sink.table.Columns}
}

// Shape describes how the source reads its files, whichever they are.
func (src *Source) Shape() any {
	args := map[string]string{}
	for _, name := range src.config.Args.Names() {
		if !slices.Contains([]string{"paths", "optional", "batch"}, name) {
			args[name] = gjson.GetBytes(src.config.Args.JSON, name).Raw
		}
	}
	return []any{src.Label(), src.kind, args}
}
