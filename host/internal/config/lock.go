package config

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/plural"
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

// ReadLock reads the lock of a folder. It is nil when the folder has none. What is wrong with a lock it returns as Diagnostics.
func ReadLock(dir string) (*Lock, error) {
	path := filepath.Join(dir, LockFile)
	src, err := os.ReadFile(path)
	_, notLink := os.Readlink(path)
	switch {
	case oserr.Missing(err) && notLink != nil:
		return nil, nil
	case oserr.Missing(err): // a lock was meant to be there
		return nil, Diagnostics{fileError(path, "cannot read the lock", "want a file, have a symbolic link to nothing"+writeAnew, "")}
	case err != nil:
		return nil, Diagnostics{fileError(path, "cannot read the lock", oserr.Reason(err).Error(), "")}
	case len(src) > maxSize:
		return nil, Diagnostics{fileError(path, "the lock is too large", fmt.Sprintf("want at most %d bytes, have %d", maxSize, len(src))+writeAnew, "")}
	}
	l := newLoader(path, src, Given{})
	if notLink == nil { // it may lead to a file whose lines are nobody's business
		l.file.hidden = []Range{{Line: 1, Column: 1, EndLine: len(src) + 2, EndColumn: 1}}
	}
	lock := l.lock()
	if diags := l.done(); diags.HasErrors() {
		for i := range diags {
			diags[i].Detail += writeAnew
		}
		return nil, diags
	}
	return lock, nil
}

const writeAnew = "; remove the lock, and sluice plugin lock writes it anew"

// lock reads the blocks; what it returns is whole only when no error was reported.
func (l *loader) lock() *Lock {
	lock := &Lock{Path: l.file.path, Programs: map[string]Locked{}}
	syntax := l.parse()
	if syntax == nil || len(l.diags) > 0 {
		return lock
	}
	var body struct {
		Plugins []struct {
			Name    string         `hcl:"name,label"`
			Version string         `hcl:"version"`
			SHA256  hcl.Expression `hcl:"sha256"`
		} `hcl:"plugin,block"`
	}
	diags := gohcl.DecodeBody(syntax, nil, &body)
	if diags.HasErrors() {
		l.addHCL(diags, "")
		return lock
	}
	for i, p := range body.Plugins {
		if _, twice := lock.Programs[p.Name]; twice {
			l.report(syntax.Blocks[i].DefRange(), "", fmt.Sprintf("a second block of plugin %q", p.Name), "want one of each plugin", "")
		}
		lock.Programs[p.Name] = Locked{p.Version, l.lockedSums(p.Name, p.SHA256)}
	}
	return lock
}

// lockedSums reads the hashes of a plugin by their systems.
func (l *loader) lockedSums(plugin string, from hcl.Expression) map[string]string {
	sums := map[string]string{}
	pairs, diags := hcl.ExprMap(from)
	if diags.HasErrors() {
		l.report(from.Range(), "", fmt.Sprintf("plugin %q: no hashes", plugin), "want sha256 = { SYSTEM = HASH }", "")
	}
	for _, pair := range pairs {
		var system, sum string
		if diags := append(gohcl.DecodeExpression(pair.Key, nil, &system), gohcl.DecodeExpression(pair.Value, nil, &sum)...); diags.HasErrors() {
			l.addHCL(diags, "")
			continue
		}
		if have := notSum(sum); have != "" {
			l.report(pair.Value.Range(), "", fmt.Sprintf("plugin %q: bad hash", plugin),
				fmt.Sprintf("want 64 hexadecimal digits at sha256.%s, have %s", system, have), "")
		}
		if _, twice := sums[system]; twice {
			l.report(pair.Key.Range(), "", fmt.Sprintf("plugin %q: a second hash for %s", plugin, system), "want one for each system", "")
		}
		sums[system] = sum
	}
	return sums
}

// notSum says what keeps a text from being a SHA-256 in hexadecimal digits, "" when it is one.
func notSum(text string) string {
	const digits = "0123456789abcdefABCDEF"
	n := 0
	for _, c := range text {
		if n++; !strings.ContainsRune(digits, c) && utf8.RuneCountInString(text) == 2*sha256.Size {
			return fmt.Sprintf("%q at character %d", string(c), n)
		}
	}
	if n != 2*sha256.Size {
		return plural.Of(n, "character")
	}
	return ""
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
