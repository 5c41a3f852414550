package receipt

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/filehash"
)

// TestDifferences holds how two runs differ apart from their rows.
func TestDifferences(t *testing.T) {
	sum, code := strings.Repeat("0123456789abcdef", 4), "c0de"
	base := func() *Receipt {
		return &Receipt{
			Run: "one", Sluice: "v1", Pipeline: Pipeline{"p.hcl", sum}, Variables: map[string]string{"out": "a"},
			Dependencies: []Dependency{{"env", "KEY", sum}},
			Inputs:       []Input{{Name: "in.jsonl", Bytes: 10, Records: 2, Sum: filehash.Of(filehash.SHA256, sum)}},
			Plugins: []Plugin{
				{Step: "alias.x", Name: "alias", Version: "v1", Path: BuiltIn, SHA256: sum, Arguments: sum, Code: code, SDK: code},
				{Step: "own.y", Name: "own", Version: "v7", Path: "bin/own", SHA256: sum, Arguments: sum},
			},
			Steps: []StepAccount{
				{Name: "alias.x", In: 2, Out: 2, Counts: map[string]int64{"rule.a": 2}, BusySeconds: 1, Facts: map[string]string{"rules": sum}},
				{Name: "own.y", In: 2, Out: 1, Rejected: Sum(map[string]int64{"bad": 1})},
			},
			Totals: Totals{Read: 2, Written: 1, Rejected: Sum(map[string]int64{"bad": 1})},
		}
	}
	for _, c := range []struct {
		reason string
		change func(*Receipt)
		want   []Difference
	}{
		{"times and ids are none", func(r *Receipt) { r.Run, r.Started, r.Steps[0].BusySeconds = "two", time.Unix(1, 0), 2 }, nil},
		{"another version", func(r *Receipt) { r.Sluice = "v2" }, []Difference{{"sluice", "v1", "v2"}}},
		{"another file of that name is no other pipeline, but another text is", func(r *Receipt) { r.Pipeline = Pipeline{"q.hcl", "f" + sum[1:]} },
			[]Difference{{"pipeline", "0123456789ab", "f123456789ab"}}},
		{"variables, also one that only B has", func(r *Receipt) { r.Variables = map[string]string{"out": "b", "n": "1"} },
			[]Difference{{"variable n", "", "1"}, {"variable out", "a", "b"}}},
		{"what the file read", func(r *Receipt) { r.Dependencies = nil }, []Difference{{"env KEY", "0123456789ab", ""}}},
		{"another input", func(r *Receipt) { r.Inputs[0].Records = 3 },
			[]Difference{{"input in.jsonl", "2 records, 10 bytes, 0123456789ab", "3 records, 10 bytes, 0123456789ab"}}},
		{"the same input under another name", func(r *Receipt) { r.Inputs[0].Name = "moved/in.jsonl" }, nil},
		{"another algorithm of hashes, which says nothing about the files", func(r *Receipt) { r.Inputs[0].Sum = filehash.Of(filehash.BLAKE3, "ff") },
			[]Difference{{"algorithm of the hashes of files, which do not compare", "sha256", "blake3"}}},
		{"another algorithm, and another input", func(r *Receipt) { r.Inputs[0].Records, r.Inputs[0].Sum = 3, filehash.Of(filehash.XXH3, "ff") },
			[]Difference{{"algorithm of the hashes of files, which do not compare", "sha256", "xxh3"}, {"input in.jsonl", "2 records, 10 bytes", "3 records, 10 bytes"}}},
		{"the program of all built-in plugins, whose code is not known, is reported once", func(r *Receipt) { r.Plugins[0].SHA256, r.Plugins[0].Code = "other", "" },
			[]Difference{{"program of the built-in plugins", "0123456789ab", "other"}}},
		{"a program that was built again", func(r *Receipt) { r.Plugins[0].SHA256 = "other"; r.Plugins[0].Code, r.Plugins[0].SDK = code, code },
			[]Difference{{"program of the built-in plugins", "0123456789ab", "other, whose plugins are of the same code"}}},
		{"a plugin of other code", func(r *Receipt) { r.Plugins[0].SHA256 = "other"; r.Plugins[0].Code, r.Plugins[0].SDK = "moved", code },
			[]Difference{{"program of the built-in plugins", "0123456789ab", "other"}, {"code of step alias.x, plugin alias", "c0de", "moved"}}},
		{"another SDK", func(r *Receipt) { r.Plugins[0].SHA256 = "other"; r.Plugins[0].Code, r.Plugins[0].SDK = code, "moved" },
			[]Difference{{"program of the built-in plugins", "0123456789ab", "other"}, {"code of the SDK below alias.x", "c0de", "moved"}}},
		{"a plugin of one's own", func(r *Receipt) { r.Plugins[1].Version = "v8" }, []Difference{{"plugin of step own.y", "own v7 0123456789ab", "own v8 0123456789ab"}}},
		{"arguments", func(r *Receipt) { r.Plugins[0].Arguments = "x" }, []Difference{{"step alias.x: arguments", "0123456789ab", "x"}}},
		{"what a step says about its arguments", func(r *Receipt) { r.Steps[0].Facts = nil }, []Difference{{"step alias.x: rules", "0123456789ab", ""}}},
		{"a step that only A has", func(r *Receipt) { r.Steps, r.Plugins = r.Steps[:1], r.Plugins[:1] },
			[]Difference{{"plugin of step own.y", "own v7 0123456789ab", ""}, {"step own.y: arguments", "0123456789ab", ""}}},
		{"counts", func(r *Receipt) {
			r.Steps[0].Counts = map[string]int64{"rule.b": 1}
			r.Steps[1].Out, r.Steps[1].Rejected, r.Totals.Rejected, r.Totals.Written = 2, Breakdown{}, Breakdown{}, 2
		}, []Difference{
			{"step alias.x: count rule.a", "2", "0"}, {"step alias.x: count rule.b", "0", "1"}, {"step own.y: out", "1", "2"},
			{"step own.y: rejected", "1", "0"}, {"step own.y: rejected bad", "1", "0"},
			{"run: rejected", "1", "0"}, {"run: rejected bad", "1", "0"}, {"run: written", "1", "2"},
		}},
	} {
		b := base()
		c.change(b)
		if diff := cmp.Diff(c.want, Differences(base(), b)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// TestSharesDiffer holds how the shares of files that parts read are compared, with each other and with whole files.
func TestSharesDiffer(t *testing.T) {
	file := func(name string, bytes int64, sum string) Input {
		return Input{Name: name, Bytes: bytes, Records: bytes / 10, Sum: filehash.Of(filehash.SHA256, sum)}
	}
	share := func(name string, from, to int64, sum string) Input {
		in := file(name, to-from, sum)
		in.Share = &Share{From: from, To: to, Size: 100}
		return in
	}
	whole := func(inputs ...Input) *Receipt { return &Receipt{Inputs: inputs} }
	merged := func(parts int, inputs ...Input) *Receipt {
		return &Receipt{Inputs: inputs, Merged: make([]MergedPart, parts)}
	}
	for _, c := range []struct {
		reason string
		a, b   *Receipt
		want   []Difference
	}{
		{"shares of one file add up to it", whole(file("x", 100, "aa")), merged(2, share("x", 0, 50, "bb"), share("x", 50, 100, "cc")), nil},
		{"a file that no part has cut has its hash", whole(file("x", 100, "aa")), merged(2, share("x", 0, 100, "bb")),
			[]Difference{{"input x", "10 records, 100 bytes, aa", "10 records, 100 bytes, bb"}}},
		{"shares that lack bytes", whole(file("x", 100, "aa")), merged(2, share("x", 0, 50, "bb"), share("x", 50, 90, "cc")),
			[]Difference{{"input x", "10 records, 100 bytes", "9 records, 90 bytes"}}},
		{"the first of two shares has changed", merged(2, share("x", 0, 50, "bb"), share("x", 50, 100, "cc")), merged(2, share("x", 0, 50, "dd"), share("x", 50, 100, "cc")),
			[]Difference{{"input x", "10 records, 100 bytes, bb in share 1 of 2", "10 records, 100 bytes, dd in share 1 of 2"}}},
		{"lines have moved the cut", merged(2, share("x", 0, 50, "bb"), share("x", 50, 100, "cc")), merged(2, share("x", 0, 60, "dd"), share("x", 60, 100, "ee")),
			[]Difference{{"input x", "10 records, 100 bytes, bb in share 1 of 2", "10 records, 100 bytes, dd in share 1 of 2"}}},
		{"other parts have other cuts", merged(2, share("x", 0, 50, "bb"), share("x", 50, 100, "cc")), merged(3, share("x", 0, 30, "dd"), share("x", 30, 60, "ee"), share("x", 60, 100, "ff")), nil},
		{"another file has moved the cut", merged(2, share("x", 0, 50, "bb"), share("x", 50, 100, "cc"), file("y", 0, "aa")), merged(2, share("x", 0, 60, "dd"), share("x", 60, 100, "ee"), file("y", 20, "bb")),
			[]Difference{{"input y", "0 records, 0 bytes, aa", "2 records, 20 bytes, bb"}}},
	} {
		if diff := cmp.Diff(c.want, []Difference(settings(c.a, c.b))); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// TestReads holds under which names the inputs of two runs are put together.
func TestReads(t *testing.T) {
	run := func(names ...string) *Receipt {
		r := &Receipt{}
		for _, name := range names {
			name, sum, _ := strings.Cut(name, " ")
			r.Inputs = append(r.Inputs, Input{Name: name, Sum: filehash.Of(filehash.SHA256, sum)})
		}
		return r
	}
	for _, c := range []struct {
		reason  string
		a, b    *Receipt
		want    []string // of B
		renamed map[string]string
	}{
		{"the same names", run("x 1", "y 2"), run("x 1", "y 2"), []string{"x", "y"}, map[string]string{}},
		{"a file that has changed is still the one of its name", run("x 1"), run("x 2"), []string{"x"}, map[string]string{}},
		{"the same file under another name", run("x 1", "y 2"), run("z 1", "y 2"), []string{"x", "y"}, map[string]string{"z": "x"}},
		{"a copy of a file that both have read", run("x 1"), run("x 1", "z 1"), []string{"x", "z"}, map[string]string{}},
		{"another file", run("x 1"), run("z 3"), []string{"z"}, map[string]string{}},
	} {
		_, have, renamed := Reads(c.a, c.b)
		if diff := cmp.Diff(c.want, have) + cmp.Diff(c.renamed, renamed); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// TestChangedSteps holds which steps are known to do something else in another run.
func TestChangedSteps(t *testing.T) {
	base := func() *Receipt {
		return &Receipt{Plugins: []Plugin{
			{Step: "alias.x", Name: "alias", Path: BuiltIn, SHA256: "p", Code: "c", SDK: "s", Arguments: "a"},
			{Step: "own.y", Name: "own", Path: "bin/own", SHA256: "q", Arguments: "a"},
		}}
	}
	for _, c := range []struct {
		reason string
		change func(*Receipt)
		want   []string
	}{
		{"the same", func(*Receipt) {}, nil},
		{"a program that was built again", func(r *Receipt) { r.Plugins[0].SHA256 = "other" }, nil},
		{"a program elsewhere", func(r *Receipt) { r.Plugins[1].Path = "elsewhere/own" }, nil},
		{"other code", func(r *Receipt) { r.Plugins[0].Code = "other" }, []string{"alias.x"}},
		{"other code of the SDK", func(r *Receipt) { r.Plugins[0].SDK = "other" }, []string{"alias.x"}},
		{"code that is not known", func(r *Receipt) { r.Plugins[0].Code, r.Plugins[0].SDK = "", "" }, nil},
		{"another program and other arguments", func(r *Receipt) { r.Plugins[1].SHA256, r.Plugins[0].Arguments = "other", "b" }, []string{"alias.x", "own.y"}},
		{"a plugin that is no longer built in", func(r *Receipt) { r.Plugins[0].Path = "bin/alias" }, []string{"alias.x"}},
		{"a step that only one has", func(r *Receipt) { r.Plugins[0].Step = "alias.z" }, []string{"alias.z"}},
	} {
		b := base()
		c.change(b)
		if diff := cmp.Diff(c.want, ChangedSteps(base(), b)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}
