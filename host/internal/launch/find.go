package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/sdk"
)

// Prefix begins the file name of every plugin that is not built in.
const Prefix = "sluice-plugin-"

// ServeArg is the argument with which a sluice binary starts itself again as the built-in plugin that follows.
const ServeArg = "serve-plugin"

// A Pin says which file an external plugin is.
type Pin struct {
	Path   string // absolute
	SHA256 string // hex; empty: any
}

// A Found is where a plugin is.
type Found struct {
	Name    string
	Path    string      // the executable; of a built-in, this program
	BuiltIn *sdk.Plugin // nil for an external plugin
	sum     string      // of an external plugin's executable
}

// SHA256 is of the executable, in hex.
func (f *Found) SHA256() (string, error) {
	if f.BuiltIn != nil {
		return ownSum()
	}
	return f.sum, nil
}

// A Finder looks plugins up: a pin first, then the built-ins, then executables sluice-plugin-NAME beside the
// pipeline and in the folders of SLUICE_PLUGIN_PATH.
type Finder struct {
	BuiltIns []sdk.Plugin
	Pins     map[string]Pin
	Dir      string   // of the pipeline file
	Path     []string // further folders
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// A NotFound says what was looked for where.
type NotFound struct {
	Name   string
	Looked []string
	Known  []string // names of all plugins that are there
}

// Error implements error.
func (n *NotFound) Error() string {
	return fmt.Sprintf("no plugin %q: looked for %s", n.Name, strings.Join(n.Looked, ", "))
}

// Find looks a plugin up and verifies its pin.
func (f *Finder) Find(name string) (Found, error) {
	if pin, ok := f.Pins[name]; ok {
		return f.pinned(name, pin)
	}
	for i := range f.BuiltIns {
		if f.BuiltIns[i].Name == name {
			return self(name, &f.BuiltIns[i])
		}
	}
	missing := &NotFound{Name: name, Looked: []string{"a built-in plugin"}}
	if nameForm.MatchString(name) {
		for _, dir := range f.folders() {
			path := filepath.Join(dir, Prefix+name+exe())
			missing.Looked = append(missing.Looked, path)
			if isExecutable(path) {
				sum, err := fileSum(path)
				return Found{Name: name, Path: path, sum: sum}, err
			}
		}
	}
	missing.Known = f.known()
	return Found{}, missing
}

func (f *Finder) folders() []string { return append([]string{f.Dir}, f.Path...) }

func (f *Finder) known() []string {
	var names []string
	for _, p := range f.BuiltIns {
		names = append(names, p.Name)
	}
	for name := range f.Pins {
		names = append(names, name)
	}
	for _, dir := range f.folders() {
		matches, _ := filepath.Glob(filepath.Join(dir, Prefix+"*"))
		for _, m := range matches {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(m), Prefix), exe()))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (f *Finder) pinned(name string, pin Pin) (Found, error) {
	sum, err := fileSum(pin.Path)
	if err != nil {
		return Found{}, fmt.Errorf("plugin %s: %w", name, err)
	}
	if !isExecutable(pin.Path) {
		return Found{}, fmt.Errorf("plugin %s: want an executable at %s, have a file that is not", name, pin.Path)
	}
	if pin.SHA256 != "" && !strings.EqualFold(pin.SHA256, sum) {
		return Found{}, fmt.Errorf("plugin %s: %s: want sha256 %s, have %s", name, pin.Path, pin.SHA256, sum)
	}
	return Found{Name: name, Path: pin.Path, sum: sum}, nil
}

// self is this program as a plugin.
func self(name string, p *sdk.Plugin) (Found, error) {
	path, err := os.Executable()
	if err != nil {
		return Found{}, err
	}
	go ownSum() // in the time that the plugins take to start
	return Found{Name: name, Path: path, BuiltIn: p}, nil
}

var ownSum = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return fileSum(path)
})

func fileSum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
