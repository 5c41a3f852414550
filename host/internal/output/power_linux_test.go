package output

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A powerless disk keeps what a loss of power may leave: bytes that were synced, and names of folders that were. Of the names that came
// and went since, each is there or not, as chance has it.
type powerless struct {
	bytes map[uint64][]byte            // of files, when they were synced
	names map[string]map[string]uint64 // of folders, when they were synced
}

func powerlessAt(t *testing.T, root string) *powerless {
	t.Helper()
	p := &powerless{map[uint64][]byte{}, map[string]map[string]uint64{}}
	must(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		must(t, err)
		p.sync(t, path)
		return nil
	}))
	return p
}

func inode(t *testing.T, name string) uint64 {
	t.Helper()
	info, err := os.Lstat(name)
	must(t, err)
	return info.Sys().(*syscall.Stat_t).Ino
}

func (p *powerless) sync(t *testing.T, name string) {
	t.Helper()
	info, err := os.Stat(name)
	must(t, err)
	if !info.IsDir() {
		p.bytes[inode(t, name)], err = os.ReadFile(name)
		must(t, err)
		return
	}
	p.names[name] = p.list(t, name)
}

func (p *powerless) list(t *testing.T, folder string) map[string]uint64 {
	t.Helper()
	all := map[string]uint64{}
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, e := range entries {
		all[e.Name()] = inode(t, filepath.Join(folder, e.Name()))
	}
	return all
}

// lose makes the folder what the disk has after a loss of power.
func (p *powerless) lose(t *testing.T, root string, r *rand.Rand) {
	t.Helper()
	files := map[string][]byte{}
	p.restore(t, root, r, files)
	entries, err := os.ReadDir(root)
	must(t, err)
	for _, e := range entries {
		must(t, os.RemoveAll(filepath.Join(root, e.Name())))
	}
	for name, data := range files {
		must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must(t, os.WriteFile(name, data, 0o600))
	}
}

func (p *powerless) restore(t *testing.T, folder string, r *rand.Rand, files map[string][]byte) {
	t.Helper()
	now, had := p.list(t, folder), p.names[folder]
	came := map[uint64]bool{} // what moved, since a rename is done as a whole or not at all
	for _, id := range now {
		came[id] = r.IntN(2) == 0
	}
	for name := range both(now, had) {
		id := had[name]
		if moved := cmp.Or(now[name], id); now[name] != id && came[moved] {
			id = now[name]
		}
		if id == 0 {
			continue
		}
		path := filepath.Join(folder, name)
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			p.restore(t, path, r, files)
			continue
		}
		files[path] = p.bytes[id]
	}
}

// both returns the names in a or b.
func both(a, b map[string]uint64) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}

// Wherever the power goes in a commit, either the list can be completed, and gives what the run has written, or the old files stand with
// their receipt, whole. No receipt ever lies beside files that it is not about.
func TestPowerLossInCommit(t *testing.T) {
	const seeds = 2
	for k := 0; ; k++ {
		done := false
		for seed := range uint64(seeds) {
			inFolder(t, oldRun, nil)
			root, err := os.Getwd()
			must(t, err)
			p := powerlessAt(t, root)
			done = killedAt(t, k, func(op, name string) {
				if op == "sync" {
					p.sync(t, name)
				}
			})
			p.lose(t, root, rand.New(rand.NewPCG(seed, uint64(k))))
			if complete(t) {
				wantTree(t, newRun)
				continue
			}
			have := tree(t)
			want := oldRun
			if have["out/receipt.json"] == newRun["out/receipt.json"] {
				want = newRun
			}
			for name, data := range want {
				if have[name] != data {
					t.Errorf("killed at %d, seed %d: %s is %q, %s", k, seed, name, have[name], fmt.Sprint(names(have)))
				}
			}
		}
		if done {
			return
		}
	}
}

// Wherever the power goes while a checkpoint is saved, the run goes on from this one or the one before it.
func TestPowerLossInCheckpoint(t *testing.T) {
	want := calmRun(t)
	for k := 0; ; k += 5 {
		inFolder(t, map[string]string{"out/rows-00009.jsonl": "of an older run\n"}, nil)
		root, err := os.Getwd()
		must(t, err)
		p := powerlessAt(t, root)
		n, lost := 0, false
		type killed struct{}
		j := newJob(t, testRun)
		saving := false
		j.set.disk = watched(func(op, name string) error {
			if saving {
				if n++; n == k+1 {
					panic(killed{})
				}
			}
			if op == "sync" {
				p.sync(t, name)
			}
			return nil
		})
		must(t, j.set.Prepare(t.Context()))
		j.write(t, 8)
		j.save(t)
		j.write(t, 17)
		c := j.checkpoint(t)
		j.write(t, 19)
		func() {
			defer func() {
				if r := recover(); r != nil {
					lost = true
					if r != (killed{}) {
						panic(r)
					}
				}
			}()
			saving = true
			must(t, c.Save([]byte(`{"next":17}`)))
		}()
		saving = false
		j.set.disk = theDisk
		j.die()
		p.lose(t, root, rand.New(rand.NewPCG(1, uint64(k))))
		j = resume(t)
		j.write(t, jobRecords)
		j.commit(t)
		for name, data := range tree(t) {
			if data != want[name] {
				t.Errorf("at change %d: %s differs", k, name)
			}
		}
		if !lost {
			return
		}
	}
}
