package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
)

// LockFile is the name of the file that pins the plugins of the pipelines in its folder.
const LockFile = ".sluice.lock.hcl"

// System is the operating system and architecture of this program, as locks name it.
const System = runtime.GOOS + "_" + runtime.GOARCH

// A Lock pins the programs that may be plugins of the pipelines in its folder.
type Lock struct {
	Path     string            `json:"path"`
	Programs map[string]Locked `json:"programs"` // by the name of the plugin in the pipelines
}

// Locked is one plugin of a lock.
type Locked struct {
	Version string            `json:"version"` // that the program reported when it was locked
	SHA256  map[string]string `json:"sha256"`  // lower-case hex, by system, such as "linux_amd64"
}

// ReadLock reads the lock of a folder. It is nil when the folder has none.
func ReadLock(dir string) (*Lock, error) {
	l := &Lock{Path: filepath.Join(dir, LockFile), Programs: map[string]Locked{}}
	src, err := os.ReadFile(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && len(src) > maxSize {
		err = fmt.Errorf("%s: want at most %d bytes, have %d", l.Path, maxSize, len(src))
	}
	if err != nil {
		return nil, err
	}
	file, diags := hclparse.NewParser().ParseHCL(src, l.Path)
	var body struct {
		Plugins []struct {
			Name    string            `hcl:"name,label"`
			Version string            `hcl:"version"`
			SHA256  map[string]string `hcl:"sha256"`
		} `hcl:"plugin,block"`
	}
	if !diags.HasErrors() {
		diags = gohcl.DecodeBody(file.Body, nil, &body)
	}
	if diags.HasErrors() {
		return nil, fmt.Errorf("%w; remove it, and sluice plugin lock writes it anew", diags)
	}
	for _, p := range body.Plugins {
		for system, sum := range p.SHA256 {
			if !hexSum.MatchString(sum) {
				return nil, fmt.Errorf("%s: plugin %q: want 64 hexadecimal digits at sha256.%s, have %d characters", l.Path, p.Name, system, len(sum))
			}
		}
		if _, twice := l.Programs[p.Name]; twice {
			return nil, fmt.Errorf("%s: want one block of plugin %q, have two", l.Path, p.Name)
		}
		l.Programs[p.Name] = Locked{p.Version, p.SHA256}
	}
	return l, nil
}

// Encode returns the text of the file.
func (l *Lock) Encode() []byte {
	file := hclwrite.NewEmptyFile()
	body := file.Body()
	body.AppendUnstructuredTokens(hclwrite.Tokens{{Bytes: []byte(
		"# Written by sluice plugin lock. Runs of the pipelines beside it start these programs and no others.\n")}})
	for _, name := range slices.Sorted(maps.Keys(l.Programs)) {
		p := l.Programs[name]
		body.AppendNewline()
		block := body.AppendNewBlock("plugin", []string{name}).Body()
		block.SetAttributeValue("version", cty.StringVal(p.Version))
		sums := map[string]cty.Value{}
		for system, sum := range p.SHA256 {
			sums[system] = cty.StringVal(sum)
		}
		block.SetAttributeValue("sha256", cty.MapVal(sums))
	}
	return hclwrite.Format(file.Bytes())
}
