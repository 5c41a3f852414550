package plan

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/output"
)

// claimRead claims the files that the pipeline is made of, so that no run writes them: what it includes and reads with file(), the lock of its
// plugins, its tests, and this program. One that is not there yet would be read by the next run.
func (p *Plan) claimRead() (diags config.Diagnostics) {
	reads := func(what, path string) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(p.tree.Path), path)
		}
		if err := p.Set.Reads(output.Claim{What: what, Path: path, Tag: p.nowhere()}); err != nil {
			diags = append(diags, p.nowhere()("cannot read the pipeline", err.Error()))
		}
	}
	reads("the pipeline file", filepath.Base(p.tree.Path))
	for _, read := range p.tree.Reads {
		if read.Kind == config.ReadFile {
			reads("the pipeline", read.Name)
		}
	}
	reads("the pipeline", config.LockFile)
	reads("sluice test", strings.TrimSuffix(filepath.Base(p.tree.Path), ".hcl")+config.TestEnding)
	if own, err := os.Executable(); err == nil {
		reads("sluice", own)
	}
	return diags
}

// checkRead claims the programs of the plugins, and the files that attributes of built-in ones name, and reports those that the run would
// write. What another program does with a file that it is told of is not known: it may write it.
func (p *Plan) checkRead(fleet *launch.Fleet) config.Diagnostics {
	known := len(p.Set.Conflicts())
	for i, step := range p.Steps {
		running := fleet.Steps[i]
		reads := func(what, path string) {
			_ = p.Set.Reads(output.Claim{What: what, Path: path, Tag: p.atRange(step.Range)}) // whoever reads it says what is wrong
		}
		switch program := running.Location.Path; {
		case program == "": // it was not found
			continue
		case !running.Location.BuiltIn:
			reads("plugin "+step.Type, RelativePath(program))
			continue
		}
		for _, f := range FilesIn(running.Args) {
			reads("step "+step.Label(), f.Name)
		}
	}
	return p.conflicts(known)
}

// A NamedFile is a file that a value names.
type NamedFile struct {
	Name string
	Info fs.FileInfo
}

// besideTemplate is a file that belongs to a chat template in its folder, by the custom of the field.
const besideTemplate = "tokenizer_config.json"

// FilesIn returns the files that strings in the attributes of a step name, each once, with those that belong to them.
func FilesIn(args []byte) (all []NamedFile) {
	add := func(name string) bool {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return false
		}
		if !slices.ContainsFunc(all, func(f NamedFile) bool { return f.Name == name }) {
			all = append(all, NamedFile{name, info})
		}
		return true
	}
	EachString(gjson.ParseBytes(args), func(name string) {
		if add(name) {
			add(filepath.Join(filepath.Dir(name), besideTemplate))
		}
	})
	return all
}

// EachString calls do with every string in a value, however deep.
func EachString(v gjson.Result, do func(string)) {
	switch {
	case v.Type == gjson.String:
		do(v.Str)
	case v.IsObject() || v.IsArray():
		v.ForEach(func(_, inner gjson.Result) bool {
			EachString(inner, do)
			return true
		})
	}
}
