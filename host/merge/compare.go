package merge

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/sluicehq/sluice/host/internal/limit"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// compare compares the parts with each other, with the files that they have written, and their shares with the inputs.
func (m *merging) compare() {
	if len(m.parts) == 0 {
		return
	}
	first := m.parts[0]
	for _, p := range m.parts {
		m.compareRuns(first, p)
		m.compareFiles(p)
	}
	x := &m.result
	if len(x.Missing)+len(x.Failed)+len(x.Doubled)+len(x.Differing) == 0 {
		m.cover()
	}
}

// compareRuns compares all of a part that must be the same as of the first one.
func (m *merging) compareRuns(first, p *part) {
	same := func(what string, want, have any) {
		a, errA := json.Marshal(want)
		b, errB := json.Marshal(have)
		if errA != nil || errB != nil || string(a) != string(b) {
			m.differs(p.path, what, clip(a)+" as in "+filepath.Base(first.path), clip(b))
		}
	}
	same("pipeline", first.Pipeline.SHA256, p.Pipeline.SHA256)
	for _, name := range keysOf(first.Variables, p.Variables) {
		want, had := first.Variables[name]
		have, has := p.Variables[name]
		if want != have || had != has {
			m.differs(p.path, "variable "+name, fmt.Sprintf("%q as in %s", want, filepath.Base(first.path)), fmt.Sprintf("%q", have))
		}
	}
	same("files and variables of the environment", first.Dependencies, p.Dependencies)
	same("program", first.Sluice, p.Sluice)
	same("plugins", plugins(first.Receipt), plugins(p.Receipt))
	same("files of steps", first.Part.Named, p.Part.Named)
	if first.Part.Secrets != p.Part.Secrets {
		m.differs(p.path, "sensitive variables", "the values of "+filepath.Base(first.path), "others")
	}
	m.compareInputs(first, p)
	same("part", accountOf(first.Receipt), accountOf(p.Receipt))
	for _, d := range receipt.Misfits(first.Receipt, p.Receipt) {
		m.differs(p.path, d.What, d.A+" as in "+filepath.Base(first.path), d.B)
	}
	if !p.Balanced {
		m.differs(p.path, "account", "one that balances", fmt.Sprint(p.Unbalanced))
	}
}

func clip(text []byte) string {
	const most = 200
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}

func keysOf(a, b map[string]string) (names []string) {
	for _, m := range []map[string]string{a, b} {
		for name := range m {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// plugins returns the programs of the steps, wherever they lie.
func plugins(r *receipt.Receipt) []receipt.Plugin {
	all := slices.Clone(r.Plugins)
	for i := range all {
		all[i].Path = filepath.Base(all[i].Path)
	}
	return all
}

// accountOf returns what a part says about the whole run besides its inputs and what is compared by itself.
func accountOf(r *receipt.Receipt) receipt.PartAccount {
	x := *r.Part
	x.Index, x.Named, x.Secrets = 0, nil, ""
	x.Files, x.Bytes, x.SHA256 = 0, 0, ""
	return x
}

// compareInputs says how the inputs of a part differ from those that the first one found, and which of both is out of date: the one that
// read a file before it changed, as far as both have read it, or that ran before the other.
func (m *merging) compareInputs(first, p *part) {
	a, b := first.Part, p.Part
	if a.Files == b.Files && a.Bytes == b.Bytes && a.SHA256 == b.SHA256 {
		return
	}
	old, want, have := first, inputsOf(a), inputsOf(b)
	if p.Started.Before(first.Started) {
		old = p
	}
	if x, y := changed(first.Inputs, p.Inputs); x != nil {
		if old = first; y.Share.Modified.Before(x.Share.Modified) {
			old = p
		}
		want, have = versionOf(x), versionOf(y)
	}
	m.differs(p.path, "inputs", want+" as in "+filepath.Base(first.path), fmt.Sprintf("%s; run part %d/%d again", have, old.Part.Index, old.Part.Of))
}

// changed returns the first file that two parts have both read a share of, and that is not the same in both; nil when there is none.
func changed(a, b []receipt.Input) (x, y *receipt.Input) {
	for i := range a {
		for k := range b {
			x, y := &a[i], &b[k]
			if x.Name == y.Name && x.Source == y.Source && x.Share != nil && y.Share != nil && versionOf(x) != versionOf(y) {
				return x, y
			}
		}
	}
	return nil, nil
}

func inputsOf(a *receipt.PartAccount) string {
	return fmt.Sprintf("%s of %d bytes in all", plural.Of(a.Files, "file"), a.Bytes)
}

// versionOf names a file by its size and the time of its last change, which tell it from the same file in another run.
func versionOf(in *receipt.Input) string {
	return fmt.Sprintf("%s of %d bytes, changed at %s", in.Name, in.Share.Size, in.Share.Modified.UTC().Format(time.RFC3339Nano))
}

// compareFiles checks that the files of a part lie there, as large as it wrote them.
func (m *merging) compareFiles(p *part) {
	for _, o := range p.Outputs {
		if o.Path == "-" {
			continue
		}
		at, _ := p.Place(m.dir, o.Path)
		info, err := places.Stat(at)
		switch {
		case err != nil:
			m.differs(at, "file", "an output of part "+p.Part.String(), "no such file")
		case info.Mode().IsRegular() && info.Size() != o.Bytes:
			m.differs(at, "size", fmt.Sprint(o.Bytes), fmt.Sprint(info.Size()))
		}
	}
}

// cover checks that each byte and each line of each input is in one share, and that the inputs are those of the whole run.
func (m *merging) cover() {
	type end struct{ bytes, line, size int64 }
	type key struct {
		source, name string
		file         int
	}
	at := map[key]*end{}
	var inputs []receipt.Input
	var order []key
	for _, p := range m.parts {
		for _, in := range p.Inputs {
			if in.Changed {
				m.differs(in.Name, "input", "one that stays as it is", "one that changed while part "+p.Part.String()+" read it")
			}
			s := in.Share
			if s == nil {
				m.differs(p.path, "share", "one of "+in.Name, "no share")
				return
			}
			k := key{in.Source, in.Name, s.File}
			e := at[k]
			if e != nil && s.Size == 0 {
				m.differs(p.path, "share", in.Name+" of 0 bytes in one part once", "it again")
			}
			if e == nil {
				e = &end{size: s.Size, line: s.Line}
				at[k] = e
				inputs, order = append(inputs, in), append(order, k)
			}
			switch {
			case s.From == s.To && s.Size > 0:
				continue
			case s.From != e.bytes:
				m.differs(in.Name, "share", fmt.Sprintf("byte %d on in part %s", e.bytes, p.Part), fmt.Sprintf("byte %d on", s.From))
			case e.bytes > 0 && s.Line != e.line:
				m.differs(in.Name, "share", fmt.Sprintf("line %d on in part %s", e.line, p.Part), fmt.Sprintf("line %d on", s.Line))
			}
			e.bytes, e.line = s.To, s.Line+s.Lines
		}
	}
	for _, k := range order {
		if e := at[k]; e.bytes != e.size {
			m.differs(k.name, "share", fmt.Sprintf("all %d bytes in the parts", e.size), fmt.Sprintf("%d bytes", e.bytes))
		}
	}
	p := m.parts[0].Part
	if have := receipt.HashInputs(inputs); len(m.result.Differing) == 0 && have != p.SHA256 {
		m.differs(m.path, "inputs", "the "+plural.Of(p.Files, "file")+" of the whole run", plural.Of(len(inputs), "file")+", or others")
	}
}

// checkLimits returns why the whole run has more rejects or differences than its file allows.
func (m *merging) checkLimits() error {
	for _, l := range m.parts[0].Part.Limits {
		most, err := limit.Parse(l.Most)
		if err != nil {
			return fmt.Errorf("%s: limit of %s: %w", m.MaskName(m.parts[0].path), l.What, err)
		}
		if t := m.whole.Totals; l.What == receipt.DeadLetter {
			if n := t.Rejected.Total; most.Exceeded(n, t.Read) {
				return fmt.Errorf("want at most %s of the records rejected, have %d of %d", l.Most, n, t.Read)
			}
			continue
		}
		for i := range m.whole.Shadows {
			if s := &m.whole.Shadows[i]; s.Shadow == l.What {
				if err := checkShadow(s, most); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkShadow returns why a shadow does not keep its limit, or is not known to: each record that was not compared may differ.
func checkShadow(s *receipt.ShadowReport, most limit.Limit) error {
	missed := s.NotCompared
	if s.Stopped != nil { // perhaps after the last record
		missed = max(missed, 1)
	}
	switch {
	case most.Exceeded(s.Differing, s.Records):
		return fmt.Errorf("shadow %s: want at most %s of the records to differ, have %d of %d", s.Shadow, most, s.Differing, s.Records)
	case missed > 0 && most.Exceeded(s.Differing+missed, s.Records+missed):
		return fmt.Errorf("shadow %s: want at most %s of the records to differ, have %d of %d, and %d not compared, since the candidate failed",
			s.Shadow, most, s.Differing, s.Records, missed)
	}
	return nil
}

// warn adds what a person should know about the whole run, and what the parts could not know.
func warn(r *receipt.Receipt) {
	say := func(code, format string, args ...any) {
		r.Warnings = append(r.Warnings, receipt.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	switch t := r.Totals; {
	case t.Read == 0:
		say("nothing_read", "the inputs hold no records")
	case t.Written == 0 && t.Rejected.Total > 0 && t.Dropped.Total == 0:
		say("all_rejected", "every record was rejected; the dead letters of the parts say why")
	case t.Written == 0:
		say("nothing_written", "no record was written")
	case 2*t.Rejected.Total > t.Read+t.Extra:
		say("most_rejected", "most records were rejected; the dead letters of the parts say why")
	}
	for i := range r.Routes {
		for _, u := range r.Routes[i].Unmet {
			if u.Like > 0 {
				say("unmet_case", "route %s: no record took case %q, and no case took %d whose value is spelt much like it", r.Routes[i].Route, u.Case, u.Like)
			}
		}
	}
}
