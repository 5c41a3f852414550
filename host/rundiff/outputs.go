package rundiff

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
)

type runOutput struct {
	receipt.Output        // of the first file
	name           string // its path below the folder that has all outputs of the run
	part           receipt.Part
	files          []*outputFile
	paired         bool
}

// outputs returns the outputs of a run that are files. left names the others.
func (s *subject) outputs() (all []*runOutput, left []string, err error) {
	below := ""
	for _, o := range s.receipt.Outputs {
		if o.Path == "-" {
			left = append(left, "standard output: its rows are in no file")
			continue
		}
		path, err := s.receipt.Locate(s.dir, o.Path)
		if err != nil {
			return nil, nil, err
		}
		if info, err := places.Stat(path); err == nil && !info.Mode().IsRegular() {
			left = append(left, o.Path+": its rows are in no file")
			continue
		}
		folder := filepath.ToSlash(places.Dir(o.Path)) + "/"
		if all == nil {
			below = folder
		}
		for !strings.HasPrefix(folder, below) {
			below = below[:strings.LastIndexByte(strings.TrimSuffix(below, "/"), '/')+1]
		}
		all = append(all, &runOutput{Output: o, files: []*outputFile{fileOf(&o, path)}})
	}
	for _, o := range all {
		o.name = strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(o.Path), "./"), strings.TrimPrefix(below, "./"))
	}
	return s.inSequence(all), left, nil
}

// inSequence makes one output of the files that hold the rows of a sink one behind the other: those of the parts of a merged run, and the
// numbered ones of a sink that rotates. It has the name that one file for all of them would have.
func (s *subject) inSequence(all []*runOutput) (whole []*runOutput) {
	type numbered struct {
		sink, path string
		part       receipt.Part
	}
	paths := map[string]string{}
	if s.receipt.Graph != nil {
		pathsOf(s.receipt.Graph.Body, paths)
	}
	count, plain := map[numbered]int{}, map[string]bool{} // the files of a plain sink are not numbered from 1 on
	for _, o := range all {
		if s.receipt.Merged != nil {
			o.part, o.name, _ = receipt.PartOf(o.name)
		}
		k := numbered{o.Sink, output.Unnumbered(o.name), o.part}
		count[k]++
		plain[o.Sink] = plain[o.Sink] || o.name != output.Numbered(k.path, count[k]) || !mayBe(k.path, paths[o.Sink])
	}
	type sequence struct{ sink, side, name string }
	first, last := map[sequence]*runOutput{}, map[sequence]receipt.Part{}
	for _, o := range all {
		if !plain[o.Sink] {
			o.name = output.Unnumbered(o.name)
		}
		key := sequence{o.Sink, o.Side, o.name}
		o.files[0].apart = o.part != last[key]
		last[key] = o.part
		if x := first[key]; x != nil {
			x.files = append(x.files, o.files...)
			continue
		}
		first[key] = o
		whole = append(whole, o)
	}
	return whole
}

// pathsOf sets the paths of sinks as the pipeline has them.
func pathsOf(nodes []receipt.Node, all map[string]string) {
	for _, n := range nodes {
		if n.Kind == "sink" {
			all[n.Name] = n.Note
		}
		for _, e := range n.Edges {
			pathsOf(e.Nodes, all)
		}
	}
}

var labelForm = regexp.MustCompile(`\\\{.*?\\\}`) // in a quoted pattern

// mayBe reports whether a file may have a name when its sink has a path, with labels in braces; "" is not known. So a number that is a
// label is told from that of a sink that rotates.
func mayBe(name, path string) bool {
	pattern := labelForm.ReplaceAllString(regexp.QuoteMeta(filepath.Base(path)), ".+")
	return path == "" || regexp.MustCompile("^"+pattern+"$").MatchString(filepath.Base(name))
}

// pairOutputs pairs the outputs of two runs that are for the same rows: the only ones of a sink, or else those with the same name.
func pairOutputs(a, b *subject) (pairs []outputPair, left []string, err error) {
	ours, left, err := a.outputs()
	if err != nil {
		return nil, nil, err
	}
	theirs, more, err := b.outputs()
	if err != nil {
		return nil, nil, err
	}
	for _, text := range more {
		if !slices.Contains(left, text) {
			left = append(left, text)
		}
	}
	partner := map[*runOutput]*runOutput{}
	match := func(same func(x, y *runOutput) bool) {
		for _, x := range ours {
			for _, y := range theirs {
				if !x.paired && !y.paired && same(x, y) {
					x.paired, y.paired = true, true
					partner[x] = y
				}
			}
		}
	}
	match(func(x, y *runOutput) bool { return x.Sink == y.Sink && only(ours, x.Sink) && only(theirs, y.Sink) })
	match(func(x, y *runOutput) bool { return x.Sink == y.Sink && x.name == y.name })
	match(func(x, y *runOutput) bool { return x.name == y.name })
	streams := map[string]string{} // of B, as A calls them
	for _, x := range ours {
		p := outputPair{Name: x.name, A: x.files, Reject: x.Side == receipt.DeadLetter, after: x.After, stream: x.stream(), side: sideOf(&x.Output), sinks: [2]string{x.Sink}}
		if y := partner[x]; y != nil {
			p.B, p.after, p.sinks[1] = y.files, y.After, y.Sink
			streams[y.stream()] = p.stream
			if y.name != x.name {
				p.Name += " and " + y.name
			}
		}
		pairs = append(pairs, p)
	}
	for _, y := range theirs {
		if !y.paired {
			stream := cmp.Or(streams[y.stream()], y.stream())
			pairs = append(pairs, outputPair{Name: y.name, B: y.files, Reject: y.Side == receipt.DeadLetter, after: y.After, stream: stream, side: sideOf(&y.Output), sinks: [2]string{1: y.Sink}})
		}
	}
	return pairs, left, nil
}

func only(all []*runOutput, sink string) bool {
	ofSink := func(o *runOutput) bool { return o.Sink == sink }
	i := slices.IndexFunc(all, ofSink)
	return i >= 0 && !slices.ContainsFunc(all[i+1:], ofSink)
}

func fileOf(o *receipt.Output, path string) *outputFile {
	f := &outputFile{Path: path, Whole: output.Summary{Rows: o.Records, Bytes: o.Bytes, Sum: o.Sum}}
	if o.Origins != nil {
		f.Origins = o.Origins.Sum
	}
	return f
}

// stream names the steps that rows of the output went through, "" for a side output.
func (o *runOutput) stream() string {
	if o.Side != "" {
		return ""
	}
	return "stream " + strings.Join(o.After, " ")
}
