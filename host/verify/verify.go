// Package verify compares the files of a finished run with its receipt: it reads each of them again, and says everything that differs.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
)

// Options say what is verified.
type Options struct {
	Inputs   bool                     // read the inputs too, where they are still there
	Page     *host.Page               // the page that lies next to a receipt; nil: it is not looked at
	MaskName func(path string) string // returns the form in which a path is shown; nil: as it is
}

// Result says what was compared and how it differs.
type Result struct {
	Receipt     string       `json:"receipt"` // path
	Run         string       `json:"run"`
	Whole       bool         `json:"whole"`             // nothing differs
	Partial     string       `json:"partial,omitempty"` // which records the run took that did not read everything
	Files       int          `json:"files"`             // that were compared
	Bytes       int64        `json:"bytes"`             // of them
	Rows        int64        `json:"rows"`              // of the outputs
	Differences []Difference `json:"differences"`
	Unchecked   []Unchecked  `json:"unchecked"` // what could not be compared, which is no difference
	Outside     []string     `json:"outside"`   // files that were read and lie outside of the receipt's folder
}

// Difference is one thing that is not as the receipt says.
type Difference struct {
	Path string `json:"path"`
	What string `json:"what"`
	Want string `json:"want"`
	Have string `json:"have"`
}

// What a Difference is about.
const (
	File    = "file"    // that should be there, or should not
	Size    = "size"    // in bytes
	Hash    = "hash"    // of a file
	Rows    = "rows"    // of an output, or records of an input
	Account = "account" // in the receipt itself
	Content = "content" // of a file that the run wrote about itself
)

// String returns PATH: WHAT: want WANT, have HAVE.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s: want %s, have %s", d.Path, d.What, d.Want, d.Have)
}

// Unchecked is a file that could not be compared.
type Unchecked struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Run verifies the run of a receipt, which a path names, or a folder as in receipt.Find. It reads regular files only, and as many at a time
// as there are processors. The error says why there is no result.
func Run(ctx context.Context, path string, o Options) (*Result, error) {
	r, at, err := receipt.Open(path)
	if err != nil {
		return nil, err
	}
	if o.MaskName == nil {
		o.MaskName = func(path string) string { return path }
	}
	v := &verification{Options: o, receipt: r, dir: places.Dir(at), path: at, known: map[string]bool{}, folders: map[string]bool{places.Dir(at): true}}
	v.result = Result{Receipt: o.MaskName(at), Run: r.Run, Differences: []Difference{}, Unchecked: []Unchecked{}, Outside: []string{}}
	if r.Partial != nil {
		v.result.Partial = r.Partial.String()
	}
	v.account()
	if err := v.files(ctx); err != nil {
		return nil, err
	}
	v.strays()
	return v.end(), nil
}

type verification struct {
	Options
	receipt   *receipt.Receipt
	dir, path string          // of the receipt
	known     map[string]bool // where files of the run belong
	folders   map[string]bool // that hold some of them

	mu     sync.Mutex // for the result, since files are read side by side
	result Result
}

// differs notes a difference of the file at a place.
func (v *verification) differs(at, what string, want, have any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.result.Differences = append(v.result.Differences, Difference{v.MaskName(at), what, fmt.Sprint(want), fmt.Sprint(have)})
}

func (v *verification) unchecked(at, why string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.result.Unchecked = append(v.result.Unchecked, Unchecked{v.MaskName(at), why})
}

// read notes a file that was compared, and how many rows of an output it has.
func (v *verification) read(at string, bytes, rows int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.result.Files++
	v.result.Bytes += bytes
	v.result.Rows += rows
	if v.outside(at) {
		v.result.Outside = append(v.result.Outside, v.MaskName(at))
	}
}

// outside reports whether a file lies outside of the receipt's folder, wherever links lead.
func (v *verification) outside(at string) bool {
	if places.Remote(at) || places.Remote(v.dir) {
		below, err := filepath.Rel(v.dir, at)
		return err != nil || places.Remote(at) != places.Remote(v.dir) || !filepath.IsLocal(below)
	}
	file, err := filepath.EvalSymlinks(at)
	if err == nil {
		file, err = filepath.Abs(file)
	}
	dir, dirErr := filepath.EvalSymlinks(v.dir)
	if dirErr == nil {
		dir, dirErr = filepath.Abs(dir)
	}
	below, relErr := filepath.Rel(dir, file)
	return err != nil || dirErr != nil || relErr != nil || !filepath.IsLocal(below)
}

// files compares all files that the receipt names.
func (v *verification) files(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	run := func(check func(context.Context) error) {
		group.Go(func() error { return cmp.Or(context.Cause(ctx), check(ctx)) })
	}
	for i := range v.receipt.Outputs {
		o := &v.receipt.Outputs[i]
		at, ok := v.place(o.Path, o.Origins != nil)
		if !ok {
			continue
		}
		run(func(ctx context.Context) error { return v.output(ctx, o, at) })
		if o.Origins != nil {
			if sidecar, ok := v.place(o.Origins.Path, true); ok {
				run(func(ctx context.Context) error { return v.origins(ctx, o, at, sidecar) })
			}
		}
	}
	if x := v.receipt.Timeline; x != nil {
		if at, ok := v.place(x.Path, true); ok {
			run(func(ctx context.Context) error { return v.timeline(ctx, at) })
		}
	}
	for i := range v.receipt.Reports {
		x := &v.receipt.Reports[i]
		if at, ok := v.place(x.Path, false); ok {
			run(func(ctx context.Context) error { return v.report(ctx, x, at) })
		}
	}
	if v.Inputs {
		for i := range v.receipt.Inputs {
			run(func(ctx context.Context) error { return v.input(ctx, &v.receipt.Inputs[i]) })
		}
	}
	return group.Wait()
}

// place returns where a file of the run lies. It returns false when there is nothing to read, and notes why; always is whether the run
// wrote a file that stays, and no pipe or device.
func (v *verification) place(path string, always bool) (at string, ok bool) {
	if path == "-" {
		v.unchecked(path, "standard output, which no run keeps")
		return "", false
	}
	at, _ = v.receipt.Place(v.dir, path)
	clean := places.Clean(at)
	if v.known[clean] {
		v.differs(v.path, Account, "each file named once", v.MaskName(path)+" twice")
		return "", false
	}
	v.known[clean], v.folders[places.Dir(clean)] = true, true
	info, err := places.Stat(at)
	switch {
	case err != nil:
		v.differs(at, File, "a file that the run wrote", reason(err))
	case info.IsDir():
		v.differs(at, File, "a file that the run wrote", "a folder")
	case info.Mode().IsRegular():
		return at, true
	case always:
		v.differs(at, File, "a file that the run wrote", "a pipe or a device")
	default:
		v.unchecked(at, "a pipe or a device, which keeps nothing")
	}
	return "", false
}

// end puts the result in order.
func (v *verification) end() *Result {
	x := &v.result
	x.Whole = len(x.Differences) == 0
	slices.SortStableFunc(x.Differences, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(x.Unchecked, func(a, b Unchecked) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(x.Outside)
	x.Outside = slices.Compact(x.Outside) // a file may be read in shares
	return x
}
