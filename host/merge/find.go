package merge

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/oserr"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
)

// find finds the receipts of the parts, those of the run with the most of them, and says which parts have none or several.
func (m *merging) find() error {
	all, err := m.read()
	if err != nil {
		return err
	}
	counts := map[int]int{}
	for _, p := range all {
		counts[p.Part.Of]++
	}
	for p := range m.failed {
		counts[p.Of]++
	}
	of := slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b int) int { return cmp.Compare(counts[a], counts[b]) })
	m.result.Parts = of
	byIndex := map[int][]*part{}
	for _, p := range all {
		if p.Part.Of != of {
			m.differs(p.path, "parts", fmt.Sprintf("a part of %d", of), fmt.Sprintf("one of %d; remove the files of the run that is not meant", p.Part.Of))
			continue
		}
		byIndex[p.Part.Index] = append(byIndex[p.Part.Index], p)
	}
	for i := range of {
		found := byIndex[i]
		if len(found) == 0 {
			m.absent(receipt.Part{Index: i, Of: of})
			continue
		}
		if len(found) > 1 {
			d := Doubled{Part: i}
			for _, p := range found {
				d.Receipts = append(d.Receipts, m.MaskName(p.path))
			}
			m.result.Doubled = append(m.result.Doubled, d)
		}
		m.parts = append(m.parts, found[0])
	}
	return nil
}

// read reads all receipts of parts that have the name of the whole run's, with the part before the ending.
func (m *merging) read() (all []*part, err error) {
	entries, err := places.ReadDir(m.dir)
	if err != nil {
		return nil, oserr.AtPath(err)
	}
	name := filepath.Base(m.path)
	ending := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ending) + "-"
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), stem) || filepath.Ext(e.Name()) != ending {
			continue
		}
		if _, whole, ok := receipt.PartOf(e.Name()); ok && whole != name && whole != receipt.FailedPath(name) { // of another run, as receipt-other.json; a copy has any name
			continue
		}
		at := places.Join(m.dir, e.Name())
		text, err := places.ReadFile(at)
		if err != nil {
			return nil, err
		}
		var r receipt.Receipt
		if json.Unmarshal(text, &r) != nil || r.Run == "" || r.Part == nil || r.Part.Of < 1 || r.Part.Index < 0 || r.Part.Index >= r.Part.Of {
			continue // some other JSON
		}
		if r.Failure != nil {
			m.failed[r.Part.Part] = r.Failure
			continue
		}
		all = append(all, &part{&r, at})
	}
	if len(all)+len(m.failed) == 0 {
		if _, err := receipt.Find(m.dir); errors.As(err, new(*receipt.Unfinished)) {
			return nil, err
		}
		such := receipt.Part{Of: 16}.PathOf(name)
		if _, err := places.Stat(m.path); err != nil && filepath.Ext(name) == "" { // it was to be a folder
			return nil, fmt.Errorf("want a folder with receipts of parts, or receipts such as %s, have nothing at %q", such, m.MaskName(m.path))
		}
		return nil, fmt.Errorf("want receipts of parts such as %s, have 0 in %s", such, m.MaskName(m.dir))
	}
	return all, nil
}

// absent notes a part without a receipt, and what it has left.
func (m *merging) absent(p receipt.Part) {
	why, again := "", "run it again, with --resume to go on where it was"
	if f := m.failed[p]; f != nil && f.Resume != nil {
		why = f.String() + "; " + again
	} else if f != nil {
		why = f.String()
	} else if at := output.StateOf(p.PathOf(m.path)); at != "" {
		why = "interrupted: " + again
	} else if failed, _ := filepath.Glob(places.Join(m.dir, "*-"+p.String()+".failed*")); len(failed) > 0 {
		why = "too many rejects or differences: see " + m.MaskName(failed[0])
	} else if output.PartBegun(m.dir, p.String()) {
		why = "not finished: it still runs, or was ended"
	}
	if why == "" {
		m.result.Missing = append(m.result.Missing, p.Index)
		return
	}
	m.result.Failed = append(m.result.Failed, Failure{p.Index, why})
}

func (m *merging) differs(path, what, want, have string) {
	m.result.Differing = append(m.result.Differing, Difference{m.MaskName(path), what, want, have})
}
