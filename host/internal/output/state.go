package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/oserr"
)

// The state of a run that can be resumed lies in the sidecar folder of its receipt, and its attachments beside it: receipt.json.resume,
// receipt.json.resume-1 and so on. It is replaced as a whole, under a new name that becomes its own, so it is one checkpoint or the next. A
// folder elsewhere that holds hidden files of the run has a note in its sidecar folder that leads to the state: while this is there, no
// other run takes the files for left behind.
const (
	stateEnding = ".resume"
	stateSchema = "sluice.resume.v1"
	stateHead   = 16 << 10 // the schema and the run lie in that much
)

var errNotState = errors.New("want the state of an interrupted run, have something else; run without --resume")

// A state is what the file holds. Paths in it are relative to its folder.
type state struct {
	Schema   string           `json:"schema"`
	Run      string           `json:"run"`
	Next     int              `json:"next"`              // number of the next hidden name
	Made     []string         `json:"made,omitempty"`    // folders that the run has made
	Folders  []string         `json:"folders,omitempty"` // that hold hidden files
	Sinks    []sinkMark       `json:"sinks,omitempty"`
	Attached []attachmentMark `json:"parts,omitempty"`
	Text     json.RawMessage  `json:"text,omitempty"`
	Commit   []move           `json:"commit,omitempty"`
	CRC      uint32           `json:"crc"` // of all that, as seal computes it
}

// seal returns the checksum of a state without its own.
func (x state) seal() (uint32, error) {
	x.CRC = 0
	data, err := json.Marshal(x)
	return crc32.Checksum(data, castagnoli), err
}

type attachmentMark struct {
	Name  string `json:"name"`
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	CRC   uint32 `json:"crc"`
}

// A note is what leads to a state.
type note struct {
	Schema string `json:"schema"`
	Run    string `json:"run"`
	State  string `json:"state"`
}

// statePath returns where the state of the run lies, "" when there is no place for it.
func (s *Set) statePath() string {
	if s.receipt == nil || s.receipt.target.inPlace() || sidecarPath(s.receipt.target.real, stateEnding+"-1234567890") == "" {
		return ""
	}
	return sidecarPath(s.receipt.target.real, stateEnding)
}

func near(state, path string) string {
	rel, err := filepath.Rel(filepath.Dir(state), path)
	if err != nil {
		return path
	}
	return rel
}

func far(state, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(state), path)
}

// writeState replaces the state, and removes the attachments that the new one has not.
func (s *Set) writeState(x *state) error {
	path := s.statePath()
	x.Schema, x.Run = stateSchema, s.opts.Run
	var err error
	if x.CRC, err = x.seal(); err != nil {
		return fmt.Errorf("the state of the run: %w", err)
	}
	if err := s.writeWhole(path, x); err != nil {
		run, _ := headOfState(path) // it may have its name all the same
		s.saved = run == s.opts.Run
		return fmt.Errorf("the state of the run: %w", err)
	}
	for _, p := range s.attached {
		if !slices.ContainsFunc(x.Attached, func(m attachmentMark) bool { return m.File == p }) {
			_ = s.disk.remove(filepath.Join(filepath.Dir(path), p))
		}
	}
	s.attached = nil
	for _, m := range x.Attached {
		s.attached = append(s.attached, m.File)
	}
	s.saved = true
	return nil
}

// writeWhole writes a file of JSON that is there as a whole or not at all, and durable.
func (s *Set) writeWhole(path string, x any) error {
	temp := filepath.Join(filepath.Dir(path), s.nextTemporary(filepath.Base(path)))
	err := s.writeDurable(temp, func(f *os.File) error { return json.NewEncoder(f).Encode(x) })
	if err != nil {
		return oserr.Reason(err)
	}
	if err := s.disk.rename(temp, path); err != nil {
		_ = s.disk.remove(temp)
		return oserr.Reason(err)
	}
	return s.syncFolder(filepath.Dir(path))
}

func (s *Set) nextTemporary(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.temps++
	return s.temporary(name, s.temps-1)
}

// enterState prepares the folder of the state.
func (s *Set) enterState() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := filepath.Dir(s.statePath())
	if err := s.enter(dir, dir); err != nil {
		return fmt.Errorf("the state of the run: %w", err)
	}
	return nil
}

// protect has other runs leave the hidden files in folders alone. The notes are durable before the state is.
func (s *Set) protect(folders []string) error {
	path := s.statePath()
	for _, folder := range folders {
		home := noteFolder(folder)
		if s.noted[home] || home == filepath.Dir(path) {
			continue
		}
		s.mu.Lock()
		err := s.makeFolder(home)
		s.mu.Unlock()
		if err == nil {
			err = s.syncMade()
		}
		s.noted[home] = false // it may be there from now on
		name := s.noteIn(home)
		if err == nil {
			err = s.writeWhole(name, note{stateSchema, s.opts.Run, near(name, path)})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", home, oserr.Reason(err))
		}
		s.noted[home] = true
	}
	return nil
}

// noteIn is the path of this run's note in a folder of notes.
func (s *Set) noteIn(home string) string { return filepath.Join(home, s.opts.Run+stateEnding) }

// removeUnsaved removes the attachments and notes of checkpoints when none of them has become the state.
func (s *Set) removeUnsaved() {
	if s.lastAttachment > 0 {
		s.removeAttachments(nil)
	}
	for home := range s.noted {
		_ = s.disk.remove(s.noteIn(home))
	}
}

// noteFolder returns where the notes about the hidden files in a folder lie.
func noteFolder(folder string) string {
	if filepath.Base(folder) == sidecarFolder {
		return folder
	}
	return filepath.Join(folder, sidecarFolder)
}

// resumable returns the runs whose hidden files in a folder are left alone. It removes notes that lead nowhere.
func (s *Set) resumable(folder string) map[string]bool {
	home := noteFolder(folder)
	entries, err := os.ReadDir(home)
	if err != nil {
		return nil
	}
	runs := map[string]bool{}
	for _, e := range entries {
		if !e.Type().IsRegular() || filepath.Ext(e.Name()) != stateEnding {
			continue
		}
		name := filepath.Join(home, e.Name())
		run, leads := headOfState(name)
		if leads != "" {
			if at, _ := headOfState(far(name, leads)); at != run {
				if s.ours(leads) {
					_ = s.disk.remove(name)
				}
				continue
			}
		}
		runs[run] = true
	}
	return runs
}

// headOfState returns the run of a state or of a note, and where a note leads.
func headOfState(path string) (run, leads string) {
	head, err := headOf(path, stateHead)
	if err != nil || gjson.GetBytes(head, "schema").Str != stateSchema {
		return "", ""
	}
	return gjson.GetBytes(head, "run").Str, gjson.GetBytes(head, "state").Str
}

// readState reads the state at a path.
func readState(path string) (*state, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	x := &state{}
	if err := json.NewDecoder(f).Decode(x); err != nil || x.Schema != stateSchema || !fitRun(x.Run) {
		return nil, fmt.Errorf("%s: %w", path, errNotState)
	}
	if crc, err := x.seal(); err != nil || crc != x.CRC {
		return nil, fmt.Errorf("%s: want the state as the interrupted run wrote it, have one that was changed; run without --resume", path)
	}
	if slices.ContainsFunc(x.Attached, func(m attachmentMark) bool { return !isAttachment(m.File, path) }) {
		return nil, fmt.Errorf("%s: %w", path, errNotState)
	}
	return x, nil
}

// isAttachment reports whether a name is that of an attachment of the state at a path.
func isAttachment(name, state string) bool {
	digits, cut := strings.CutPrefix(name, filepath.Base(state)+"-")
	return cut && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// stateOfAttachment returns the name of the state that a name is of an attachment of, "" for any other name.
func stateOfAttachment(name string) string {
	i := strings.LastIndex(name, stateEnding+"-")
	if i < 0 || !isAttachment(name, name[:i+len(stateEnding)]) {
		return ""
	}
	return name[:i+len(stateEnding)]
}

// removeState removes the state of a run with all that serves only to resume it: attachments, notes, and hidden files that this Set does not
// have. x is nil when the state cannot be read.
func (s *Set) removeState(x *state) error {
	path := s.statePath()
	if err := s.disk.remove(path); err != nil && !oserr.Missing(err) {
		return fmt.Errorf("the state of the run: %w", oserr.Reason(err))
	}
	err := s.syncFolder(filepath.Dir(path))
	s.removeAttachments(nil)
	s.attached, s.saved = nil, false
	if x == nil {
		return err
	}
	var made []string
	cleaned := s.cleanFolders(x)
	for _, folder := range x.Made {
		folder = far(path, folder)
		holds := func(f string) bool { return isAbove(folder, noteFolder(f)) }
		if isFolder(folder) && (s.hasFolder(folder) || slices.ContainsFunc(cleaned, holds)) {
			made = append(made, folder)
		}
	}
	if x.Run != s.opts.Run { // leaveFolders removes those that stay empty
		s.made, s.madeSynced = append(made, s.made...), s.madeSynced+len(made)
	}
	return err
}

// cleanFolders removes the hidden files of a run from the folders that its state names, as far as it has written into them, and returns
// these.
func (s *Set) cleanFolders(x *state) (cleaned []string) {
	path := s.statePath()
	for _, folder := range x.Folders {
		if folder = far(path, folder); s.noteLeads(folder, x.Run) {
			cleaned = append(cleaned, folder)
		}
	}
	for _, folder := range cleaned {
		s.clean(folder, x.Run)
	}
	return cleaned
}

// clean removes the hidden files of a run from a folder, and the note about them. What another run holds stays: nothing leads to it.
func (s *Set) clean(folder, run string) {
	if !s.entered[folder] {
		l, err := s.lockFolder(folder)
		if err != nil {
			return
		}
		if l != nil {
			defer l.Close()
		}
	}
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if e.Type().IsRegular() && runOf(e.Name()) == run {
			s.removeHidden(filepath.Join(folder, e.Name()))
		}
	}
	home := noteFolder(folder)
	name := filepath.Join(home, run+stateEnding)
	if _, err := os.Lstat(name); err == nil {
		_ = s.disk.remove(name)
	}
	if !s.entered[home] {
		os.Remove(home) // fails when something is in it
	}
}

// hasAttachments reports whether attachments of a state lie beside the place of it.
func hasAttachments(state string) bool {
	entries, _ := os.ReadDir(filepath.Dir(state))
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isAttachment(e.Name(), state) })
}

// removeAttachments removes the attachments of a state that are not its own any more, or all of them without a state.
func (s *Set) removeAttachments(x *state) {
	path := s.statePath()
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		if !isAttachment(e.Name(), path) {
			continue
		}
		if x == nil || !slices.ContainsFunc(x.Attached, func(m attachmentMark) bool { return m.File == e.Name() }) {
			_ = s.disk.remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}
