package launch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/wire"
)

// Prefix begins the file name of every plugin that is not built in.
const Prefix = "sluice-plugin-"

// ServeArg is the argument with which a sluice binary starts itself again to serve its built-in plugins.
const ServeArg = "serve-plugins"

// A Pin fixes the program of a plugin. Empty fields are not fixed.
type Pin struct {
	Path   string // absolute
	SHA256 string // hex
	Name   string // the name by which the program calls the plugin; empty: the same as the pipeline
	Env    string // names of the variables that it gets wherever it is described, with spaces between them, so that pins compare
}

// A Lock lists the programs that may be plugins, in addition to the built-in ones.
type Lock struct {
	Path   string            // of the lock file
	System string            // of the programs, as in "linux_amd64"
	SHA256 map[string]string // in hex, by the names of the plugins in the pipeline
}

// A Location is where a plugin is.
type Location struct {
	Path    string // the executable, absolute; of a built-in, this program
	BuiltIn bool
	Name    string // what the program calls the plugin
	Hides   string // other executables of the name, which this one takes precedence over, separated by commas; or ""
	pin     string // SHA-256, or ""
	locked  string // SHA-256 in lock, or ""
	lock    *Lock  // nil: none
	program *program
}

// SHA256 returns the SHA-256 of the executable, in hex.
func (f *Location) SHA256() (string, error) { return f.program.hash() }

// A Finder looks plugins up: a pinned path first, then the built-ins, then executables sluice-plugin-NAME next to the
// pipeline and in the folders of SLUICE_PLUGIN_PATH.
type Finder struct {
	Pins map[string]Pin
	Lock *Lock    // nil lets every program be a plugin
	Dir  string   // of the pipeline file
	Path []string // further folders

	// Trusted reports whether the user trusts a program with this hash that lies beside the pipeline, or where a pin says. Those in an
	// absolute folder of Path are the user's own. When it is nil, every program is trusted.
	Trusted func(sha256 string) bool
}

// An Untrusted is a program that was found and must not be started, or what a built-in plugin would start.
type Untrusted struct {
	Plugin string
	Path   string // of the program; "" when Attr names it
	SHA256 string
	Attr   string // of a step of a built-in plugin
}

// Error implements error.
func (u *Untrusted) Error() string {
	if u.Attr != "" {
		return fmt.Sprintf("want a program that you trust, have one that %s names", u.Attr)
	}
	return fmt.Sprintf("want a program that you trust, have %s, sha256 %.12s", u.Path, u.SHA256)
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// A NotFound reports where a plugin was looked for.
type NotFound struct {
	Name     string
	Searched []string
	Known    []string // names of all plugins that exist
}

// Error implements error.
func (n *NotFound) Error() string {
	return fmt.Sprintf("no plugin %q: looked for %s", n.Name, strings.Join(n.Searched, ", "))
}

// Find looks a plugin up and opens its program.
func (f *Finder) Find(name string, builtIns *wire.Provider) (Location, error) {
	pin := f.Pins[name]
	found := Location{Name: name, pin: pin.SHA256, lock: f.Lock}
	if f.Lock != nil {
		found.locked = f.Lock.SHA256[name]
	}
	if pin.Name != "" {
		found.Name = pin.Name
	}
	if pin.Path != "" {
		return f.open(found, pin.Path)
	}
	// The name in the pipeline comes first: two versions of one plugin may serve the same name.
	for _, known := range []string{name, found.Name} {
		paths, err := f.executables(known)
		if err != nil {
			return found, err
		}
		if _, ok := builtIns.Plugin(known); ok {
			found.BuiltIn, found.Hides = true, strings.Join(paths, ", ")
			found.program, err = ownProgram()
			if err == nil {
				found.Path = found.program.path
			}
			return found, err
		}
		if len(paths) > 0 {
			others := slices.DeleteFunc(paths[1:], func(other string) bool { return isSame(paths[0], other) })
			found.Hides = strings.Join(others, ", ")
			return f.open(found, paths[0])
		}
	}
	return found, &NotFound{Name: name, Searched: f.searched(name), Known: f.Names(builtIns)}
}

// open opens the program at a path, unless the user does not trust it.
func (f *Finder) open(found Location, path string) (Location, error) {
	found, err := found.at(path)
	if err != nil || f.Trusted == nil || f.isInstalled(path) {
		return found, err
	}
	sum, err := found.program.hash()
	if err == nil && !f.Trusted(sum) {
		if err = found.verify(); err == nil { // what a pin or the lock refuses, trust does not help
			err = &Untrusted{Plugin: found.Name, Path: path, SHA256: sum}
		}
	}
	if err != nil {
		found.program.file.Close()
	}
	return found, err
}

// Foreign returns the program of a plugin that needs trust, nil when the plugin has none.
func (f Finder) Foreign(name string, builtIns *wire.Provider) *Untrusted {
	f.Trusted = func(string) bool { return false }
	_, err := f.Find(name, builtIns)
	u, _ := errors.AsType[*Untrusted](err)
	return u
}

// isInstalled reports whether a program is a plugin in a folder that the environment names, wherever the command runs.
func (f *Finder) isInstalled(path string) bool {
	return strings.HasPrefix(filepath.Base(path), Prefix) && slices.ContainsFunc(f.Path, func(dir string) bool {
		return filepath.IsAbs(dir) && filepath.Clean(dir) == filepath.Dir(path)
	})
}

// at opens the program at a path.
func (f Location) at(path string) (Location, error) {
	err := CheckExecutable(path)
	if err == nil {
		f.Path = path
		f.program, err = openProgram(path)
	}
	return f, err
}

// verify checks before every start that the program has not changed, and that it is the pinned and locked one.
func (f *Location) verify() error {
	if err := f.program.verify(f.pin); err != nil || f.BuiltIn || f.lock == nil {
		return err
	}
	have, err := f.program.hash()
	switch {
	case err != nil:
		return err
	case f.locked == "":
		return fmt.Errorf("%s: want its sha256 for %s in %s, have no entry; sluice plugin lock adds it", f.Path, f.lock.System, f.lock.Path)
	case !strings.EqualFold(f.locked, have):
		return fmt.Errorf("%s: want sha256 %s, which %s has, have %s; if you trust the change, sluice plugin lock accepts it",
			f.Path, f.locked, f.lock.Path, have)
	}
	return nil
}

// executables returns the files with the plugin's name, of which the first is the one that runs. All paths are absolute.
func (f *Finder) executables(name string) (all []string, err error) {
	for _, path := range f.paths(name) {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if _, err := os.Lstat(path); err == nil && !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	return all, nil
}

// isSame reports whether two files are one, or copies of each other.
func isSame(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA != nil || errB != nil || os.SameFile(infoA, infoB) || infoA.Size() != infoB.Size() {
		return errA == nil && errB == nil && os.SameFile(infoA, infoB)
	}
	sumA, errA := FileSHA256(a)
	sumB, errB := FileSHA256(b)
	return errA == nil && errB == nil && sumA == sumB
}

// searched lists where a plugin was looked for.
func (f *Finder) searched(name string) []string {
	all := append([]string{"a built-in plugin"}, f.paths(name)...)
	if len(f.Path) == 0 {
		all = append(all, "the folders of SLUICE_PLUGIN_PATH, which names none")
	}
	return all
}

// paths returns where an executable of a plugin may be.
func (f *Finder) paths(name string) (all []string) {
	if !nameForm.MatchString(name) {
		return nil
	}
	for _, dir := range f.folders() {
		all = append(all, filepath.Join(dir, Prefix+name+exe()))
	}
	return all
}

func (f *Finder) folders() []string { return append([]string{f.Dir}, f.Path...) }

// Names returns the names of all plugins that a pipeline could use.
func (f *Finder) Names(builtIns *wire.Provider) []string {
	var names []string
	for _, p := range builtIns.Plugins {
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

// CheckExecutable returns why the file at a path cannot be started, or nil.
func CheckExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if to, err := os.Readlink(path); err == nil {
			return fmt.Errorf("want an executable at %s, have a link to %s, which does not exist", path, to)
		}
		return fmt.Errorf("want an executable at %s, have no file", path)
	case err != nil:
		return fmt.Errorf("want an executable at %s: %w", path, err)
	case info.IsDir():
		return fmt.Errorf("want an executable at %s, have a folder", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("want an executable at %s, have a file of another kind (%s)", path, info.Mode().Type())
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return fmt.Errorf("want an executable at %s, have a file that may not be executed: chmod +x %s", path, path)
	}
	return interpreter(path)
}

// interpreter checks the first line of a script: when the interpreter is missing, the system reports the script missing.
func interpreter(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	words, isScript, err := scriptWords(path)
	switch {
	case err != nil:
		return fmt.Errorf("want to read and hash %s: %w", path, err)
	case !isScript:
		return nil
	case len(words) == 0:
		return fmt.Errorf("want the path of an interpreter in the first line of %s, have an empty one", path)
	}
	if _, err := os.Stat(words[0]); err != nil {
		return fmt.Errorf("want the interpreter that the first line of %s names, %q, have no file", path, words[0])
	}
	return nil
}

// scriptWords returns the words behind #! in the first line of a script.
func scriptWords(path string) (words []string, isScript bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	line, _ := bufio.NewReaderSize(file, 256).ReadSlice('\n')
	rest, isScript := strings.CutPrefix(string(line), "#!")
	return strings.Fields(rest), isScript, nil
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
