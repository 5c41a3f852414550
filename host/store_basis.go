package host

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/internal/store"
)

// stepBasis is what the rows that a step makes depend on besides its records. What is hidden may be secret.
type stepBasis struct {
	all    []any
	hidden []string
}

func (s *runStore) stepBasis(i int) (b stepBasis, err error) {
	step := s.of.plan.Steps[i]
	p, err := s.of.plugin(i)
	if err != nil {
		return b, err
	}
	p.Path = ""
	b.all = append(b.all, p)
	for _, f := range s.of.filesOf(i) {
		if f.Info.ModTime().After(s.of.began) { // the plugin may have read it before
			b.all = append(b.all, s.of.id)
		}
		sum, err := filehash.File(f.Name, filehash.BLAKE3)
		if err != nil {
			return b, fmt.Errorf("step %s: %w", step.Label(), err)
		}
		b.all = append(b.all, f.Name, sum)
	}
	b.all = append(b.all, s.foldersOf(i))
	for _, name := range slices.Concat(step.Host.Env, s.of.tree.Plugins[step.Type].Env) {
		value, set := os.LookupEnv(name)
		b.hidden = append(b.hidden, fmt.Sprintf("%s %s %t=%s", step.Label(), name, set, value))
	}
	return b, nil
}

// hashBasis hashes what the rows of a file depend on up to a place, besides the file and how its source reads it. The values of secrets are
// among it in a form from which nobody guesses them: all of them, wherever they are used.
func (s *runStore) hashBasis(shape any, steps []stepBasis) (string, error) {
	own, err := launch.OwnSHA256()
	if err != nil {
		return "", err
	}
	all := []any{"sluice.store.v1", own, s.of.opts.Version, shape}
	var hidden []string
	for _, v := range s.of.tree.Vars {
		if v.Sensitive {
			hidden = append(hidden, v.Name+"="+string(v.Value))
		}
	}
	for _, step := range steps {
		all, hidden = append(all, step.all...), append(hidden, step.hidden...)
	}
	if len(hidden) > 0 {
		sum, err := hashOf([]byte(strings.Join(hidden, "\n")), true, s.entries.Salt())
		if err != nil {
			return "", err
		}
		all = append(all, sum)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	return store.Hash([]byte(s.of.secrets.Replace(string(text)))), nil
}

// mostInFolders is how many files of the folders that attributes of a step name are looked at.
const mostInFolders = 10_000

// foldersOf lists what lies in the folders that attributes of a step name, with what tells each file from others and from itself in another
// state. Of more than mostInFolders files nothing is known, and no run has the same. A word without a slash is no folder to a built-in plugin,
// whatever lies there.
func (s *runStore) foldersOf(step int) (all []string) {
	plan.EachString(gjson.ParseBytes(s.of.fleet.Steps[step].Args), func(name string) {
		if s.of.fleet.Steps[step].Location.BuiltIn && !strings.ContainsAny(name, `/\`) {
			return
		}
		folder, err := filepath.EvalSymlinks(name)
		if err != nil {
			return
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return
		}
		_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be listed the plugin cannot read either
			}
			info, err := os.Stat(path)
			switch {
			case err != nil || info.IsDir():
			case len(all) >= mostInFolders:
				all = append(all, s.of.id)
				return fs.SkipAll
			default:
				all = append(all, fmt.Sprintf("%q %s", path, cmp.Or(store.Stamp(info, time.Now()), s.of.id)))
			}
			return nil
		})
	})
	return all
}
