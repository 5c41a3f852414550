package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
)

//go:embed scaffold
var scaffold embed.FS

// files are what a new plugin consists of, by their names in scaffold; NAME stands for the plugin's.
var files = map[string]string{
	"go.mod":            "go.mod",
	"gitignore":         ".gitignore",
	"test.yml":          ".github/workflows/test.yml",
	"main.go":           "main.go",
	"main_test.go":      "main_test.go",
	"cases.txtar":       "testdata/NAME.txtar",
	"pipeline.hcl":      "NAME.hcl",
	"pipeline.test.hcl": "NAME.test.hcl",
	"README.md":         "README.md",
}

const sdkModule = "github.com/sluicehq/sluice"

// A newPlugin is what the files of a new plugin say.
type newPlugin struct {
	Name, Module string
	Go           string // the language version of the module
	Requires     string // the rest of go.mod
	Version      string // of sluice; empty: a checkout

	adapter  bool
	checkout string // folder of a sluice whose SDK is used, or ""
}

func pluginNewCommand(out *report) *cobra.Command {
	p := newPlugin{Version: released.FindString(version())}
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "begin a plugin: code, tests, a pipeline and its test",
		Long: `new writes the folder NAME with a plugin in Go that compiles: main.go, cases for its tests, a pipeline that uses it, a test of
that pipeline, what CI runs, and a README. With --adapter it is an adapter, which reads a shape of your own and gives canonical
rows.

The module requires the version of sluice that this program is. With --sdk it takes the SDK from a checkout instead.`,
		Example: `  sluice plugin new hello
  sluice plugin new desk --adapter --module example.com/team/desk
  sluice plugin new hello --sdk ../sluice`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{command: c, err: fmt.Errorf("want the name of the plugin, have %d arguments", len(args))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			p.Name = args[0]
			if err := p.check(); err != nil {
				return &usageError{command: c, err: err}
			}
			if err := p.write(); err != nil {
				return err
			}
			if p.checkout == "" {
				if err := tidy(c, p.Name); err != nil {
					return err
				}
			}
			out.began(&p)
			return nil
		},
	}
	c.Flags().BoolVar(&p.adapter, "adapter", false, "write an adapter")
	c.Flags().StringVar(&p.Module, "module", "", "the path of the Go module; sluice-plugin-NAME when empty")
	c.Flags().StringVar(&p.checkout, "sdk", "", "take the SDK from a checkout of sluice at `PATH`")
	return c
}

// released are versions that a module can require.
var released = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)[0-9A-Za-z.]*)?$`)

var pluginName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// check fills in what was not said, and tells what cannot be.
func (p *newPlugin) check() error {
	if !pluginName.MatchString(p.Name) {
		return fmt.Errorf("want a name of lower-case letters, digits, _ and -, have %q", p.Name)
	}
	if p.Version == "" && p.checkout == "" {
		return errors.New("want --sdk with the path of a checkout, since this sluice is no release that a module could require")
	}
	if p.Module == "" {
		p.Module = "sluice-plugin-" + p.Name
	}
	return nil
}

// write writes the files into a new folder.
func (p *newPlugin) write() error {
	if err := p.require(); err != nil {
		return err
	}
	if err := os.Mkdir(p.Name, 0o777); err != nil {
		return fmt.Errorf("want a folder %s that is not there yet: %w", p.Name, err)
	}
	for from, to := range files {
		text, err := p.fill(from)
		if err != nil {
			return err
		}
		if err := p.writeFile(strings.ReplaceAll(to, "NAME", p.Name), text); err != nil {
			return err
		}
	}
	if p.checkout == "" {
		return nil
	}
	sums, err := os.ReadFile(filepath.Join(p.checkout, "go.sum"))
	if err != nil {
		return err
	}
	return p.writeFile("go.sum", sums)
}

func (p *newPlugin) writeFile(name string, text []byte) error {
	path := filepath.Join(p.Name, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

// fill gives the text of one file.
func (p *newPlugin) fill(name string) ([]byte, error) {
	kind := "plugin"
	if p.adapter {
		kind = "adapter"
	}
	text, err := fs.ReadFile(scaffold, "scaffold/"+kind+"/"+name+".tmpl")
	if errors.Is(err, fs.ErrNotExist) {
		text, err = fs.ReadFile(scaffold, "scaffold/any/"+name+".tmpl")
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

// require says what the module needs. Of a checkout it is all that the checkout needs, so that nothing has to be looked up.
func (p *newPlugin) require() error {
	if p.checkout == "" {
		p.Go = "1.26.0"
		p.Requires = fmt.Sprintf("\nrequire %s %s\n", sdkModule, p.Version)
		return nil
	}
	mod, err := os.ReadFile(filepath.Join(p.checkout, "go.mod"))
	if err != nil {
		return fmt.Errorf("--sdk: want a checkout of sluice at %s: %w", p.checkout, err)
	}
	version := goVersion.FindSubmatch(mod)
	if version == nil || !bytes.HasPrefix(mod, []byte("module "+sdkModule+"\n")) {
		return fmt.Errorf("--sdk: want a checkout of sluice at %s, have another module", p.checkout)
	}
	absolute, err := filepath.Abs(p.checkout)
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

// tidy has Go look up what the module needs.
func tidy(c *cobra.Command, dir string) error {
	run := exec.CommandContext(c.Context(), "go", "mod", "tidy")
	run.Dir = dir
	if said, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("%s is written, but go mod tidy in it fails: %w: %s", dir, err, bytes.TrimSpace(said))
	}
	return nil
}

// began tells what to do next.
func (r *report) began(p *newPlugin) {
	r.say(`wrote %[1]s; next:
  cd %[1]s
  go test ./...
  go build -o sluice-plugin-%[1]s .
  sluice test %[1]s.hcl`, p.Name)
}
