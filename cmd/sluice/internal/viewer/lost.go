package viewer

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// both returns how many records of the inputs of both runs neither has a row of: both dropped them. Where that is not known, as when
// rows were made of several records, it says why.
func (m *matrix) both(a, b *receipt.Receipt) (n int64, why string) {
	if a.Totals.Dropped.Total == 0 || b.Totals.Dropped.Total == 0 {
		return 0, ""
	}
	for i, r := range []*receipt.Receipt{a, b} {
		run := "AB"[i : i+1]
		f, ok := r.Funnel()
		switch {
		case r.Partial != nil:
			return 0, run + " has not read its input to the end"
		case !ok:
			return 0, "the receipt of " + run + " does not say where its records went"
		case f.Made < 0:
			return 0, "steps of " + run + " made one row of several records"
		}
	}
	for _, in := range readByBoth(a, b) {
		n += in.Records - m.seen[in.Name]
	}
	return max(n, 0), ""
}

// readByBoth returns the inputs of the first run that the second has read too.
func readByBoth(a, b *receipt.Receipt) []receipt.Input {
	_, ofB, _ := receipt.Reads(a, b)
	read := map[string]bool{}
	for _, name := range ofB {
		read[name] = true
	}
	return slices.DeleteFunc(slices.Clone(a.Inputs), func(in receipt.Input) bool { return !read[in.Name] })
}

// eachSeen calls with the lines of a file whose records have an entry, in order.
func (m *matrix) eachSeen(file string, call func(line int64)) error {
	for i, name := range m.files {
		if name != file {
			continue
		}
		size := int64(1 << 62)
		if i+1 < len(m.starts) {
			size = (m.starts[i+1] - m.starts[i]) * entrySize
		}
		r := bufio.NewReaderSize(io.NewSectionReader(m.file, m.starts[i]*entrySize, size), 64<<10)
		var entry [entrySize]byte
		for {
			if _, err := io.ReadFull(r, entry[:]); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
			call(int64(binary.LittleEndian.Uint64(entry[8:])))
		}
	}
	return nil
}

type lostPage struct {
	pageFrame
	A, B           string   // names of the runs
	StepA, StepB   string   // that dropped them, "" where several may have
	N, First, Last int64    // of those that can be listed
	Unlisted       []string // why others cannot
	Records        []cellRow
	Before, Next   string // addresses
}

// lost serves the list of the records that both runs dropped. They left nothing but their places in the input, so that is what is listed.
func (s *Server) lost(w http.ResponseWriter, r *http.Request, x *state) error {
	c, err := s.compared(r)
	if err != nil {
		return err
	}
	p := lostPage{pageFrame: s.frame(r, x, "compare", "Records that both runs dropped")}
	p.A, p.B = apart(s.Subject, s.Against)
	p.StepA, p.StepB = onlyDropper(s.Subject.Receipt), onlyDropper(s.Against.Receipt)
	if _, why := c.matrix.both(s.Subject.Receipt, s.Against.Receipt); why != "" {
		p.Unlisted = append(p.Unlisted, "It is not known which records both runs dropped: "+why+".")
		return render(w, "lost.html", &p)
	}
	states, shared := map[string]rows.State{}, s.Subject.shared()
	for _, state := range s.index.States() {
		states[state.Name] = state
	}
	for _, in := range readByBoth(s.Subject.Receipt, s.Against.Receipt) {
		n := in.Records - c.matrix.seen[in.Name]
		if n <= 0 {
			continue
		}
		why, listed := s.unlisted(in, states, shared), int64(0)
		if why == "" {
			if listed, err = s.listLost(&p, x, c.matrix, in.Name); err != nil {
				return err
			}
			if n -= listed; n > 0 {
				why = "the lines that they begin on have other records too"
			}
		}
		if why == notIndexed {
			p.Live, p.Again = true, true
		}
		if n > 0 {
			p.Unlisted = append(p.Unlisted, fmt.Sprintf("%s of %s cannot be listed: %s", plural.Of(n, "record"), format.Printable(mask.Name(in.Name)), why))
		}
	}
	p.First, p.Last = int64(x.from+1), int64(x.from+len(p.Records))
	if x.from > 0 {
		p.Before = x.bare("lost", fromKey, number(max(0, x.from-pageRows)))
	}
	if p.Last < p.N {
		p.Next = x.bare("lost", fromKey, number(x.from+pageRows))
	}
	return render(w, "lost.html", &p)
}

// listLost adds the rows of an input that no row of either run is of, and returns how many there are.
func (s *Server) listLost(p *lostPage, x *state, m *matrix, input string) (listed int64, err error) {
	name := s.Subject.named[input]
	lines, err := s.index.Lines(name)
	if err != nil {
		return 0, err
	}
	at := 0
	lose := func(until int64) {
		for ; at < len(lines) && lines[at] < until; at++ {
			if p.N >= int64(x.from) && len(p.Records) < pageRows {
				p.Records = append(p.Records, cellRow{Text: format.Printable(name) + ":" + strconv.FormatInt(lines[at], 10), Link: x.row(name, lines[at])})
			}
			p.N++
			listed++
		}
	}
	err = m.eachSeen(input, func(line int64) {
		lose(line)
		if at < len(lines) && lines[at] == line {
			at++
		}
	})
	lose(1 << 62)
	return listed, err
}

const notIndexed = "that input is not indexed yet"

// unlisted says why the records of an input cannot be listed by its rows, "" when they can.
func (s *Server) unlisted(in receipt.Input, states map[string]rows.State, shared []string) string {
	name, ok := s.Subject.named[in.Name]
	if !ok {
		return "the rows of that input are not shown here"
	}
	if in.Share != nil {
		return "the run has read a part of that input"
	}
	if slices.Contains(shared, in.Name) {
		return "several inputs go by that name"
	}
	switch state := states[name]; {
	case !state.Done:
		return notIndexed
	case state.Err != nil || state.Changed != "" || state.Of != in.Bytes:
		return "that input is not what the run has read"
	}
	return ""
}

// onlyDropper returns the step that dropped records, "" when several did.
func onlyDropper(r *receipt.Receipt) (name string) {
	for _, step := range r.Steps {
		if step.Dropped.Total > 0 && !step.Candidate {
			if name != "" {
				return ""
			}
			name = step.Name
		}
	}
	return format.Printable(mask.Text(name))
}

// compared waits for the comparison of the runs.
func (s *Server) compared(r *http.Request) (*comparison, error) {
	if s.Against == nil {
		return nil, errOneRun
	}
	c := s.differences()
	select {
	case <-c.done:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return c, c.err
}

var errOneRun = wrong("want two runs, have one: start sluice view with --against DIR")
