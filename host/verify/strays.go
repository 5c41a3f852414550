package verify

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
)

// strays looks in the folders that hold files of the run for what does not belong to it and whoever reads the folders takes for its own.
func (v *verification) strays() {
	others := v.others()
	for _, folder := range slices.Sorted(maps.Keys(v.folders)) {
		if filepath.Base(folder) == hiddenFolder {
			continue // is looked at with the folder above
		}
		for _, at := range output.Unfinished(folder) {
			v.differs(at, File, "no file of a run that is not finished", "one")
		}
		for _, name := range output.Written(folder) {
			if at := places.Join(folder, name); !v.known[at] && !others[at] && isFile(at) {
				v.differs(at, File, "no output of another run", "one, which no receipt here names")
			}
		}
	}
	v.series(others)
	v.page()
}

const hiddenFolder = ".sluice"

// others returns the files of the runs of all other receipts in these folders.
func (v *verification) others() map[string]bool {
	files := map[string]bool{}
	for folder := range v.folders {
		entries, _ := places.ReadDir(folder) // without entries nothing in it is another run's
		for _, e := range entries {
			at := places.Join(folder, e.Name())
			if filepath.Ext(at) != ".json" || at == places.Clean(v.path) || !isFile(at) {
				continue
			}
			r, err := receipt.Read(at)
			if err != nil || r.Run == "" {
				continue // some other JSON
			}
			for _, o := range r.Outputs {
				if place, inside := r.Place(places.Dir(at), o.Path); inside {
					files[places.Clean(place)] = true
				}
			}
		}
	}
	return files
}

// series looks for further files of series that the run wrote, such as train-00009.jsonl behind train-00008.jsonl, with or without
// origins.
func (v *verification) series(others map[string]bool) {
	series := map[string]bool{}
	for at := range v.known {
		if n, of := output.NumberOf(at); n > 0 {
			series[of] = true
		}
	}
	for folder := range v.folders {
		entries, _ := places.ReadDir(folder) // a folder that cannot be read has differences already
		written := output.Written(folder)
		for _, e := range entries {
			at := places.Join(folder, e.Name())
			n, of := output.NumberOf(at)
			if n == 0 || !series[of] || v.known[at] || others[at] || slices.Contains(written, e.Name()) {
				continue
			}
			v.differs(at, File, "no further file of a series of this run", fmt.Sprintf("number %d", n))
		}
	}
}

// page checks that the page next to the receipt, if there is one, is about this run.
func (v *verification) page() {
	if v.Page == nil {
		return
	}
	at, err := v.Page.PathFor(v.path)
	if err != nil || !isFile(at) {
		return // it need not be there, and a file that sluice did not write is not looked at
	}
	text, err := readContent(at)
	if err != nil {
		v.differs(at, Content, "a page that can be read", reason(err))
	} else if !bytes.Contains(text, []byte(v.receipt.Run)) {
		v.differs(at, Content, "the page of run "+v.receipt.Run, "that of another run")
	}
}

func isFile(at string) bool {
	info, err := places.Stat(at)
	return err == nil && info.Mode().IsRegular()
}
