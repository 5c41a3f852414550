package chaos

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluicehq/sluice/host/receipt"
)

// A world is a pipeline with its corpus, what a calm run of it gives, and what an older run of another corpus has left.
type world struct {
	pipeline
	*corpus
	dir         string // holds in and p.hcl
	calm, older tree
	account     *receipt.Receipt // of the calm run
	stdout      []byte
	made        [classes]int // calls
	largest     int          // file, in bytes
}

// A tree is the files of a folder, by their paths in it.
type tree map[string]string

func newWorld(p Programs, seed uint64, dir string) (*world, error) {
	r := rand.New(rand.NewPCG(seed, 1))
	w := &world{pipeline: drawPipeline(r, seed), dir: dir}
	var err error
	if w.corpus, err = writeCorpus(r, dir, w.steps); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "p.hcl"), []byte(w.text), 0o600); err != nil {
		return nil, err
	}
	for _, suffix := range transports {
		if err := os.Symlink(p.Plugin+suffix, filepath.Join(dir, pluginName+suffix)); err != nil {
			return nil, err
		}
	}
	if err := w.furnish(dir); err != nil {
		return nil, err
	}
	out := filepath.Join(dir, "out")
	for _, more := range [][]string{{"--var", "input=" + w.files[0]}, {"--checkpoint", "off"}} {
		if err := os.RemoveAll(out); err != nil {
			return nil, err
		}
		l := launch{Programs: p, dir: dir, args: append(w.args(), more...), pipe: w.pipe()}
		l.writes, l.shift = true, func(int) time.Duration { return 0 }
		res, err := l.run()
		if err == nil && res.exit != 0 {
			err = fmt.Errorf("exit code %d: %s", res.exit, res.said)
		}
		if err != nil {
			return nil, fmt.Errorf("calm run: %w\n%s", err, w.text)
		}
		w.older, w.made, w.stdout = w.calm, res.made, res.stdout
		if w.calm, err = readTree(out); err != nil {
			return nil, err
		}
	}
	for _, text := range w.calm {
		w.largest = max(w.largest, len(text))
	}
	if w.account, err = receipt.Read(filepath.Join(out, "receipt.json")); err != nil {
		return nil, err
	}
	if err := w.whole(dir, nil); err != nil {
		return nil, fmt.Errorf("calm run: %w\n%s", err, w.text)
	}
	return w, nil
}

// args returns the arguments of sluice for a run.
func (w *world) args() []string {
	args := []string{"run", "p.hcl", "--receipt", "out/receipt.json", "--progress", "off"}
	if w.bare {
		args = append(args, "--in-process")
	}
	return args
}

const pluginName = "sluice-plugin-chaos"

// transports are the ends of the names of the plugin's program.
var transports = []string{"", inlineSuffix, plainSuffix}

// named returns the programs, with the plugin's in a folder where it has all of its names. It is copied, since what has another name
// than before is to the program another file.
func (p Programs) named(dir string) (Programs, error) {
	text, err := os.ReadFile(p.Plugin)
	if err != nil {
		return p, err
	}
	p.Plugin = filepath.Join(dir, pluginName)
	if err := os.WriteFile(p.Plugin, text, 0o700); err != nil {
		return p, err
	}
	for _, suffix := range transports[1:] {
		if err := os.Link(p.Plugin, p.Plugin+suffix); err != nil {
			return p, err
		}
	}
	return p, nil
}

// pipe is the name of the pipe that a sink writes to, if there is one.
func (w *world) pipe() string { return strings.TrimPrefix(w.piped, "-") }

// furnish makes what a run needs in its folder.
func (w *world) furnish(dir string) error {
	if w.pipe() != "" {
		if err := unix.Mkfifo(filepath.Join(dir, w.pipe()), 0o600); err != nil {
			return err
		}
	}
	return os.Mkdir(filepath.Join(dir, "tmp"), 0o700)
}

// settle makes the folder of a scenario, with the outputs of the older run when it is to have them.
func (w *world) settle(dir string, older bool) error {
	names := []string{"in", "p.hcl"}
	for _, suffix := range transports {
		names = append(names, pluginName+suffix)
	}
	for _, name := range names {
		if err := os.Symlink(filepath.Join(w.dir, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if err := w.furnish(dir); err != nil {
		return err
	}
	if !older {
		return nil
	}
	return w.older.write(filepath.Join(dir, "out"))
}

func readTree(dir string) (tree, error) {
	t := tree{}
	err := eachFile(dir, func(path string, _ fs.FileInfo) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		t[name] = string(text)
		return err
	})
	return t, err
}

func (t tree) write(dir string) error {
	for name, text := range t {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// hidden are the files that have no name yet, or tell how to go on.
func (t tree) hidden() (names []string) {
	for name := range t {
		if isHidden(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func isHidden(name string) bool {
	base := filepath.Base(name)
	return strings.HasPrefix(base, ".") || strings.Contains(base, ".resume")
}

// ofFailed reports whether a file is what a failed run says about itself.
func ofFailed(name string) bool { return name == "receipt.failed.json" || name == "report.failed.html" }

// differs says how the files that are not hidden differ from others, and is empty when they do not.
func (t tree) differs(from tree, but func(name string) bool) string {
	all := map[string]bool{}
	for name := range t {
		all[name] = true
	}
	for name := range from {
		all[name] = true
	}
	var b strings.Builder
	for _, name := range sortedKeys(all) {
		have, is := t[name]
		want, was := from[name]
		switch {
		case isHidden(name) || but != nil && but(name):
		case is && !was:
			fmt.Fprintf(&b, "%s is new; ", name)
		case was && !is:
			fmt.Fprintf(&b, "%s is gone; ", name)
		case have != want:
			fmt.Fprintf(&b, "%s differs (want %d bytes, have %d); ", name, len(want), len(have))
		}
	}
	return b.String()
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
