package rpc

import (
	"context"
	"fmt"

	"github.com/sluicehq/sluice/sdk/internal/pb"
	"github.com/sluicehq/sluice/sdk/wire"
)

func (x *exchange) batch(ctx context.Context) (*pb.Batch, error) {
	in := x.validator.In
	n, size := len(in), 0
	for i := range in {
		size += len(in[i].Data)
	}
	m := &pb.Batch{Lengths: make([]uint64, n), File: make([]uint32, n), Lines: make([]uint64, n), Check: x.check}
	if x.opts.Shared {
		m.Arenas, m.Offsets = make([]uint32, n), make([]uint64, n)
	} else {
		m.Inline = make([]byte, 0, size)
	}
	for i := range in {
		r := &in[i]
		if len(m.Files) == 0 || m.Files[len(m.Files)-1] != r.File {
			m.Files = append(m.Files, r.File)
		}
		m.Lengths[i], m.File[i], m.Lines[i] = uint64(len(r.Data)), uint32(len(m.Files)-1), uint64(r.Line)
		if n := len(m.Labels); len(r.Labels) > 0 && x.opts.Runs && i > 0 && sameLabels(r.Labels, in[i-1].Labels) {
			m.Labels[n-1].N++
		} else if len(r.Labels) > 0 {
			m.Labels = append(m.Labels, encodeLabels(uint32(i), r.Labels))
		}
		if r.Origins != nil {
			m.Origins = append(m.Origins, encodeOrigins(uint32(i), r.Origins))
		}
		for _, l := range r.Lethal {
			m.Lethal = append(m.Lethal, &pb.Lethal{Index: uint32(i), Step: uint32(l.Step), Nth: uint32(l.Nth), Message: l.Message})
		}
		if !x.opts.Shared {
			m.Inline = append(m.Inline, r.Data...)
			continue
		}
		id, ok := x.opts.IDs[r.Mem.Arena()]
		if !ok {
			return nil, fmt.Errorf("want a record in an arena that the plugin maps, have %s:%d in an arena that it does not map", r.File, r.Line)
		}
		m.Arenas[i], m.Offsets[i] = id, uint64(r.Mem.OffsetOf(r.Data))
	}
	if x.opts.Shared {
		grant, err := x.grant(ctx, x.expect(size))
		if err != nil {
			return nil, err
		}
		m.Grant = grant
	}
	return m, nil
}

func decodeReply(m *pb.FromWorker) (*wire.Reply, error) {
	r := &wire.Reply{
		Verdicts: m.Verdicts, Emitted: m.Emitted, Same: m.Same, Offsets: m.Offsets, Lengths: m.Lengths, Done: m.Done, Spent: m.Spent, Away: m.Away,
	}
	if len(m.Runs)%2 > 0 {
		return nil, fmt.Errorf("want pairs of numbers as runs of faults, have %d numbers", len(m.Runs))
	}
	for i := 0; i < len(m.Runs); i += 2 {
		r.Runs = append(r.Runs, wire.FaultRun{Fault: m.Runs[i], N: m.Runs[i+1]})
	}
	r.Faults = make([]wire.Fault, 0, len(m.Faults))
	for _, l := range m.Labels {
		r.Labels = append(r.Labels, wire.Labels{Index: l.Index, N: l.N, Labels: decodeLabels(l)})
	}
	for _, o := range m.Origins {
		origins, err := decodeOrigins(o)
		if err != nil {
			return nil, err
		}
		r.Origins = append(r.Origins, wire.NewOrigins{Index: o.Index, Origins: origins})
	}
	for _, f := range m.Faults {
		r.Faults = append(r.Faults, wire.Fault{Code: f.Code, Path: f.Path, Message: f.Message, Record: f.Record})
	}
	for _, s := range m.Sides {
		r.Sides = append(r.Sides, wire.Side{Index: int(s.Index), Output: s.Output, JSON: s.Json})
	}
	for _, c := range m.Counts {
		r.Counts = append(r.Counts, wire.Count{Name: c.Name, N: c.N})
	}
	for _, b := range m.Behind {
		behind, err := decodeReply(b)
		if err != nil {
			return nil, err
		}
		r.Behind = append(r.Behind, *behind)
	}
	return r, nil
}

func encodeReply(r *wire.Reply) *pb.FromWorker {
	m := &pb.FromWorker{
		Verdicts: r.Verdicts, Emitted: r.Emitted, Same: r.Same, Offsets: r.Offsets, Lengths: r.Lengths, Done: r.Done, Spent: r.Spent, Away: r.Away,
	}
	for _, run := range r.Runs {
		m.Runs = append(m.Runs, run.Fault, run.N)
	}
	for _, l := range r.Labels {
		labels := encodeLabels(l.Index, l.Labels)
		labels.N = l.N
		m.Labels = append(m.Labels, labels)
	}
	for _, o := range r.Origins {
		m.Origins = append(m.Origins, encodeOrigins(o.Index, o.Origins))
	}
	for _, f := range r.Faults {
		m.Faults = append(m.Faults, &pb.Fault{Code: f.Code, Path: f.Path, Message: f.Message, Record: f.Record})
	}
	for _, s := range r.Sides {
		m.Sides = append(m.Sides, &pb.Side{Index: uint32(s.Index), Output: s.Output, Json: s.JSON})
	}
	for _, c := range r.Counts {
		m.Counts = append(m.Counts, &pb.Count{Name: c.Name, N: c.N})
	}
	for i := range r.Behind {
		m.Behind = append(m.Behind, encodeReply(&r.Behind[i]))
	}
	return m
}

// sameLabels reports whether records share one list of labels.
func sameLabels(a, b []wire.Label) bool { return len(a) == len(b) && &a[0] == &b[0] }

func encodeLabels(index uint32, labels []wire.Label) *pb.Labels {
	m := &pb.Labels{Index: index, N: 1}
	for _, l := range labels {
		m.Names, m.Values = append(m.Names, l.Name), append(m.Values, l.Value)
	}
	return m
}

// decodeLabels pairs names with values; a name without a value is left out.
func decodeLabels(m *pb.Labels) []wire.Label {
	labels := make([]wire.Label, len(m.Names))
	for i := range m.Names {
		labels[i].Name = m.Names[i]
		if i < len(m.Values) {
			labels[i].Value = m.Values[i]
		}
	}
	return labels
}

// encodeOrigins names each file once where records of one file follow each other.
func encodeOrigins(index uint32, o *wire.Origins) *pb.Origins {
	m := &pb.Origins{Index: index, More: uint64(o.More)}
	for _, p := range o.List {
		if n := len(m.Files); n == 0 || m.Files[n-1] != p.File {
			m.Files = append(m.Files, p.File)
		}
		m.File, m.Lines = append(m.File, uint32(len(m.Files)-1)), append(m.Lines, uint64(p.Line))
	}
	return m
}

func decodeOrigins(m *pb.Origins) (*wire.Origins, error) {
	if len(m.File) != len(m.Lines) {
		return nil, fmt.Errorf("want a line with the file of each origin, have %d files and %d lines", len(m.File), len(m.Lines))
	}
	o := &wire.Origins{List: make([]wire.Pos, len(m.File)), More: int64(m.More)}
	for i, n := range m.File {
		if int(n) >= len(m.Files) {
			return nil, fmt.Errorf("want a file below %d, have %d", len(m.Files), n)
		}
		o.List[i] = wire.Pos{File: m.Files[n], Line: int64(m.Lines[i])}
	}
	return o, nil
}
