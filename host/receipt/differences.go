package receipt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/plural"
)

// Difference is one thing in which the receipts of two runs differ, other than their outputs. A and B are what each says, ""
// where it says nothing.
type Difference struct {
	What string `json:"what"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Differences returns how two runs differ in programs, pipeline, variables, arguments, inputs and counts.
func Differences(a, b *Receipt) []Difference {
	d := settings(a, b)
	d.steps(a, b)
	d.figures("run", totals(&a.Totals), totals(&b.Totals))
	return d
}

// settings returns the differences other than in counts.
func settings(a, b *Receipt) (d differences) {
	d.add("sluice", a.Sluice, b.Sluice)
	d.add("pipeline", short(a.Pipeline.SHA256), short(b.Pipeline.SHA256))
	d.maps("variable ", a.Variables, b.Variables)
	d.maps("", dependencies(a), dependencies(b))
	if !sameHash(a, b) {
		d.add("algorithm of the hashes of files, which do not compare", algorithm(a), algorithm(b))
	}
	d.inputs(a, b)
	d.builtIns(a, b)
	d.maps("", programs(a), programs(b))
	d.maps("step ", arguments(a), arguments(b))
	return d
}

type differences []Difference

func (d *differences) add(what, a, b string) {
	if a != b {
		*d = append(*d, Difference{what, a, b})
	}
}

func (d *differences) maps(what string, a, b map[string]string) {
	for _, name := range names(a, b) {
		d.add(what+name, a[name], b[name])
	}
}

// figures adds counts that differ. A count of 0 equals a missing one.
func (d *differences) figures(what string, a, b map[string]int64) {
	for _, name := range names(a, b) {
		if a[name] != b[name] {
			d.add(what+": "+name, strconv.FormatInt(a[name], 10), strconv.FormatInt(b[name], 10))
		}
	}
}

func names[V any](a, b map[string]V) []string {
	all := map[string]V{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// short returns as much of a hash as a person compares.
func short(sum string) string { return sum[:min(len(sum), 12)] }

func dependencies(r *Receipt) map[string]string {
	all := map[string]string{}
	for _, d := range r.Dependencies {
		all[d.Kind+" "+d.Name] = short(d.SHA256)
	}
	return all
}

// readings is what a run read under one name: a file, the shares of a file, or files whose names are masked alike.
type readings struct {
	records, bytes int64
	ranges         [][2]int64 // of the shares; {} is a whole file
	sums           []string
}

func readingsOf(r *Receipt, renamed map[string]string) map[string]*readings {
	all := map[string]*readings{}
	for _, in := range r.Inputs {
		name := cmp.Or(renamed[in.Name], in.Name)
		if all[name] == nil {
			all[name] = &readings{}
		}
		f, at := all[name], [2]int64{}
		if in.Share.Cut() {
			at = [2]int64{in.Share.From, in.Share.To}
		}
		f.records += in.Records
		f.bytes += in.Bytes
		f.ranges, f.sums = append(f.ranges, at), append(f.sums, in.Hex())
	}
	return all
}

// inputs compares what two runs read. Hashes compare when they are of the same ranges of a file, and when both runs are divided alike:
// then other ranges come from other lines.
func (d *differences) inputs(a, b *Receipt) {
	_, _, renamed := Reads(a, b)
	ofA, ofB := readingsOf(a, nil), readingsOf(b, renamed)
	alike := divided(a) == divided(b)
	for _, name := range names(ofA, ofB) {
		x, y := ofA[name], ofB[name]
		hashes := sameHash(a, b) && (x == nil || y == nil || alike || slices.Equal(x.ranges, y.ranges))
		d.add("input "+name, x.text(y, hashes), y.text(x, hashes))
	}
}

// divided returns in how many parts the inputs were read, and their bytes, from which the shares follow but for the ends of lines.
func divided(r *Receipt) (by struct{ parts, bytes int64 }) {
	by.parts = int64(max(1, len(r.Merged)))
	if r.Part != nil {
		by.parts = int64(r.Part.Of)
	}
	for _, in := range r.Inputs {
		by.bytes += in.Bytes
	}
	return by
}

// text says what was read, with the hash of the first share that is not as in the other.
func (f *readings) text(other *readings, hashes bool) string {
	if f == nil {
		return ""
	}
	text := fmt.Sprintf("%s, %s", plural.Of(f.records, "record"), plural.Of(f.bytes, "byte"))
	if !hashes {
		return text
	}
	i := 0
	for other != nil && i < len(f.sums)-1 && i < len(other.sums) && f.sums[i] == other.sums[i] {
		i++
	}
	if text += ", " + short(f.sums[i]); len(f.sums) > 1 {
		text += fmt.Sprintf(" in share %d of %d", i+1, len(f.sums))
	}
	return text
}

// algorithm returns the algorithm of the hashes of the files that a run read and wrote, "" when it has none.
func algorithm(r *Receipt) string {
	for _, in := range r.Inputs {
		if in.Hex() != "" {
			return in.Algorithm()
		}
	}
	for _, out := range r.Outputs {
		if out.Hex() != "" {
			return out.Algorithm()
		}
	}
	return ""
}

// sameHash reports whether the hashes of two runs' files can be compared.
func sameHash(a, b *Receipt) bool {
	x, y := algorithm(a), algorithm(b)
	return x == y || x == "" || y == ""
}

// builtIns compares the program of the built-in plugins, and of each step that both runs have the code that its plugin is made of.
func (d *differences) builtIns(a, b *Receipt) {
	var sum [2]string
	for i, r := range []*Receipt{a, b} {
		if k := slices.IndexFunc(r.Plugins, func(p Plugin) bool { return p.Path == BuiltIn }); k >= 0 {
			sum[i] = short(r.Plugins[k].SHA256)
		}
	}
	compared, sdkSteps := 0, []string{}
	sdk, code := differences{}, differences{}
	for _, p := range a.Plugins {
		q := b.plugin(p.Step)
		if p.Path != BuiltIn || q.Path != BuiltIn || q.Name != p.Name || p.Code == "" || q.Code == "" {
			continue
		}
		compared++
		code.add("code of step "+p.Step+", plugin "+p.Name, short(p.Code), short(q.Code))
		if p.SDK != q.SDK {
			sdkSteps = append(sdkSteps, p.Step)
			sdk = differences{{"", short(p.SDK), short(q.SDK)}}
		}
	}
	if compared > 0 && len(code)+len(sdk) == 0 && sum[0] != sum[1] {
		sum[1] += ", whose plugins are of the same code"
	}
	d.add("program of the built-in plugins", sum[0], sum[1])
	*d = append(*d, code...)
	for _, x := range sdk {
		d.add("code of the SDK below "+strings.Join(sdkSteps, ", "), x.A, x.B)
	}
}

// ChangedSteps returns the steps of b, in its order, that are known to do something else than in a: whose plugin is another one, or is of
// other code or another program, whose arguments differ, or which a does not have.
func ChangedSteps(a, b *Receipt) (names []string) {
	for _, p := range b.Plugins {
		q := a.plugin(p.Step)
		same := q.Name == p.Name && q.Arguments == p.Arguments && q.Path == BuiltIn == (p.Path == BuiltIn)
		switch {
		case p.Path != BuiltIn:
			same = same && q.SHA256 == p.SHA256
		case p.Code != "" && q.Code != "":
			same = same && q.Code == p.Code && q.SDK == p.SDK
		}
		if !same {
			names = append(names, p.Step)
		}
	}
	return names
}

// programs names the plugin and program of each step. The built-in plugins are one program.
func programs(r *Receipt) map[string]string {
	all := map[string]string{}
	for _, p := range r.Plugins {
		if p.Path == BuiltIn {
			all["plugin of step "+p.Step] = p.Name
			continue
		}
		all["plugin of step "+p.Step] = strings.Join(slices.DeleteFunc([]string{p.Name, p.Version, short(p.SHA256)}, func(s string) bool { return s == "" }), " ")
	}
	return all
}

func arguments(r *Receipt) map[string]string {
	all := map[string]string{}
	for _, p := range r.Plugins {
		all[p.Step+": arguments"] = short(p.Arguments)
	}
	for _, s := range r.Steps {
		for name, fact := range s.Facts {
			if len(fact) == 64 && strings.Trim(fact, "0123456789abcdef") == "" {
				fact = short(fact)
			}
			all[s.Name+": "+name] = fact
		}
	}
	return all
}

// steps compares the counts of steps that both runs have. A step that only one has already differs in programs.
func (d *differences) steps(a, b *Receipt) {
	for i := range a.Steps {
		s := &a.Steps[i]
		if k := slices.IndexFunc(b.Steps, func(t StepAccount) bool { return t.Name == s.Name }); k >= 0 {
			d.figures("step "+s.Name, counts(s), counts(&b.Steps[k]))
		}
	}
}

func counts(s *StepAccount) map[string]int64 {
	all := map[string]int64{"in": s.In, "out": s.Out}
	breakdown(all, "dropped", s.Dropped)
	breakdown(all, "rejected", s.Rejected)
	breakdown(all, "declined", s.Declined)
	for name, n := range s.Counts {
		all["count "+name] = n
	}
	return all
}

func totals(t *Totals) map[string]int64 {
	all := map[string]int64{"read": t.Read, "written": t.Written}
	breakdown(all, "dropped", t.Dropped)
	breakdown(all, "rejected", t.Rejected)
	return all
}

func breakdown(all map[string]int64, what string, b Breakdown) {
	all[what] = b.Total
	for name, n := range b.By {
		all[what+" "+name] = n
	}
}

// Reads returns the names of the inputs of two runs, each in its order. A file of the second that has another name there, but
// the same hash, goes by its name in the first; renamed maps its names.
func Reads(a, b *Receipt) (ofA, ofB []string, renamed map[string]string) {
	named, bySum := map[string]bool{}, map[filehash.Sum]string{}
	for _, in := range a.Inputs {
		ofA = append(ofA, in.Name)
		named[in.Name] = true
		bySum[in.Sum] = cmp.Or(bySum[in.Sum], in.Name)
	}
	renamed = map[string]string{}
	theirs := map[string]bool{}
	for _, in := range b.Inputs {
		theirs[in.Name] = true
	}
	for _, in := range b.Inputs {
		name := in.Name
		if same := bySum[in.Sum]; !named[name] && same != "" && !theirs[same] {
			renamed[name] = same
			name = same
		}
		ofB = append(ofB, name)
	}
	return ofA, ofB, renamed
}
