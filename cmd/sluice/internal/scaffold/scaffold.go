// Package scaffold writes the files of a new plugin.
package scaffold

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/sdk"
)

//go:embed files
var templates embed.FS

// Languages of a new plugin.
const (
	Go     = "go"
	Python = "python"
)

// files maps templates to the files of a new plugin, in which NAME and MODULE are replaced.
var files = map[string]string{
	"gitignore":         ".gitignore",
	"test.yml":          ".github/workflows/test.yml",
	"cases.txtar":       "testdata/NAME.txtar",
	"pipeline.hcl":      "NAME.hcl",
	"pipeline.test.hcl": "NAME.test.hcl",
	"README.md":         "README.md",
}

// code are the further files, by language.
var code = map[string]map[string]string{
	Go:     {"go.mod": "go.mod", "main.go": "main.go", "main_test.go": "main_test.go"},
	Python: {"pyproject.toml": "pyproject.toml", "plugin.py": "MODULE.py", "test_plugin.py": "test_MODULE.py"},
}

const sdkModule = "github.com/sluicehq/sluice"

// A Plugin is a new plugin. Its folder has its name.
type Plugin struct {
	Name    string
	Lang    string // Go or Python
	Module  string // path of the Go module, or name of the one in Python; "": made of the name
	Adapter bool   // it reads a shape of its own
	SDK     string // folder of a checkout whose SDK is used; "": that of the release
	Sluice  string // version of the program

	Go, Requires string // of go.mod: the language version, and all that follows; of pyproject.toml: the SDK
	Version      string // of the release that the module requires, "" for a checkout
}

// released are versions that a module can require.
var released = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)[0-9A-Za-z.]*)?$`)

var pluginName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// Check fills in defaults, and returns the first mistake.
func (p *Plugin) Check() error {
	p.Version = released.FindString(p.Sluice)
	if !pluginName.MatchString(p.Name) {
		return fmt.Errorf("want a name of lower-case letters, digits, _ and -, have %q", p.Name)
	}
	if slices.ContainsFunc(plugins.All, func(b sdk.Plugin) bool { return b.Name == p.Name }) {
		return fmt.Errorf("want a name that no built-in plugin has, since that is found first, have %q", p.Name)
	}
	if p.Lang != Go && p.Lang != Python {
		return fmt.Errorf("want --lang go or python, have %q", p.Lang)
	}
	if p.Version == "" && p.SDK == "" {
		return errors.New("want --sdk with the path of a checkout, since this sluice is not a release")
	}
	switch {
	case p.Lang == Python && p.Adapter:
		return errors.New("want --adapter with --lang go, have --lang python: an adapter in Python returns the row, as any plugin may")
	case p.Lang == Python:
		p.Module = cmp.Or(p.Module, "plugin_"+strings.ReplaceAll(p.Name, "-", "_"))
	default:
		p.Module = cmp.Or(p.Module, "sluice-plugin-"+p.Name)
	}
	return nil
}

// Write writes the files into a new folder, and has Go look up what the module needs. With a checkout as SDK it asks nobody for that.
func (p *Plugin) Write(ctx context.Context) error {
	if err := p.require(); err != nil {
		return err
	}
	if err := os.Mkdir(p.Name, 0o777); err != nil {
		return fmt.Errorf("want a folder %s that does not exist yet: %w", p.Name, err)
	}
	named := strings.NewReplacer("NAME", p.Name, "MODULE", p.Module)
	for _, group := range []map[string]string{files, code[p.Lang]} {
		for from, to := range group {
			text, err := p.fill(from)
			if err != nil {
				return err
			}
			if err := p.writeFile(named.Replace(to), text); err != nil {
				return err
			}
		}
	}
	if p.Lang == Python {
		return nil
	}
	if p.SDK == "" {
		if output, err := p.tidy(ctx); err != nil {
			return fmt.Errorf("%s is written, but go mod tidy in it fails: %w: %s", p.Name, err, bytes.TrimSpace(output))
		}
		return nil
	}
	sums, err := os.ReadFile(filepath.Join(p.SDK, "go.sum"))
	if err != nil {
		return err
	}
	if err := p.writeFile("go.sum", sums); err != nil {
		return err
	}
	_, _ = p.tidy(ctx, "GOPROXY=off") // where a module is not at hand, the files stay as they are, which is more than is needed
	return ctx.Err()
}

// tidy leaves in go.mod and go.sum what the module needs, or changes nothing.
func (p *Plugin) tidy(ctx context.Context, env ...string) (output []byte, err error) {
	run := exec.CommandContext(ctx, "go", "mod", "tidy")
	run.Dir, run.Env = p.Name, append(os.Environ(), env...)
	return run.CombinedOutput()
}

// Next returns the commands that test and build the plugin in its folder, a line each.
func (p *Plugin) Next() string {
	if p.Lang == Python {
		return "  python3 -m venv venv && . venv/bin/activate\n  pip install -e .\n  python -m unittest"
	}
	return "  go test ./...\n  go build -o sluice-plugin-" + p.Name + " ."
}

func (p *Plugin) writeFile(name string, text []byte) error {
	path := filepath.Join(p.Name, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

func (p *Plugin) fill(name string) ([]byte, error) {
	kinds := []string{"plugin", "any"}
	switch {
	case p.Lang == Python:
		kinds = []string{"python", "plugin"}
	case p.Adapter:
		kinds[0] = "adapter"
	}
	text, err := fs.ReadFile(templates, "files/"+kinds[0]+"/"+name+".tmpl")
	if errors.Is(err, fs.ErrNotExist) {
		text, err = fs.ReadFile(templates, "files/"+kinds[1]+"/"+name+".tmpl")
	}
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, p)
	return b.Bytes(), err
}

var (
	goVersion   = regexp.MustCompile(`(?m)^go (\S+)$`)
	requirement = regexp.MustCompile(`(?m)^\s+(\S+ v\S+)(?: // indirect)?$`)
)

// require says what the module may need. Of a checkout it is all that the checkout needs, so that nothing has to be looked up.
func (p *Plugin) require() error {
	if p.Lang == Python {
		return p.requirePython()
	}
	if p.SDK == "" {
		p.Go = "1.26.0"
		p.Requires = fmt.Sprintf("\nrequire %s %s\n", sdkModule, p.Version)
		return nil
	}
	mod, err := os.ReadFile(filepath.Join(p.SDK, "go.mod"))
	if err != nil {
		return fmt.Errorf("--sdk: want a checkout of sluice at %s: %w", p.SDK, host.AtPath(err))
	}
	version := goVersion.FindSubmatch(mod)
	if first, _, _ := bytes.Cut(mod, []byte("\n")); version == nil || string(first) != "module "+sdkModule {
		return fmt.Errorf("--sdk: want a checkout of sluice at %s, have %s", p.SDK, first)
	}
	absolute, err := filepath.Abs(p.SDK)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nrequire %s v0.0.0\n\nreplace %[1]s => %q\n\nrequire (\n", sdkModule, absolute)
	for _, r := range requirement.FindAllSubmatch(mod, -1) {
		fmt.Fprintf(&b, "\t%s // indirect\n", r[1])
	}
	p.Go, p.Requires = string(version[1]), b.String()+")\n"
	return nil
}

func (p *Plugin) requirePython() error {
	if p.SDK == "" {
		p.Requires = "sluice==" + strings.TrimPrefix(p.Version, "v")
		return nil
	}
	folder, err := filepath.Abs(filepath.Join(p.SDK, "sdk", "python"))
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(folder, "pyproject.toml")); err != nil {
		return fmt.Errorf("--sdk: want a checkout of sluice at %s: %w", p.SDK, err)
	}
	p.Requires = "sluice @ " + (&url.URL{Scheme: "file", Path: filepath.ToSlash(folder)}).String()
	return nil
}
