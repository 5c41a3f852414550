package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/receipt"
)

// timeline reads the timeline of the run; nil when there is none or its file has changed.
func (m *maker) timeline() *receipt.Timeline {
	at := m.run.Timeline
	if at == nil {
		return nil
	}
	f := m.open(at.Path, at.Sum)
	if f == nil {
		return nil
	}
	defer f.Close()
	t, err := receipt.ReadTimeline(f)
	if err != nil {
		m.troubles[at.Path] = "want a timeline, have a file of another schema"
		return nil
	}
	t.Samples = thinned(t.Samples)
	return t
}

// leastMoving is the number of samples from which on a curve shows the course of a run; fewer are a spike.
const leastMoving = 4

// moving counts samples before which something was read, written or worked on.
func moving(samples []receipt.Sample) (n int) {
	for i := 1; i < len(samples); i++ {
		before, s := samples[i-1], samples[i]
		if s.BytesRead > before.BytesRead || s.Written > before.Written || busy(s) > busy(before) {
			n++
		}
	}
	return n
}

func busy(s receipt.Sample) (sum float64) {
	for _, step := range s.Steps {
		sum += step.BusySeconds
	}
	return sum
}

// thinned returns samples that are far enough apart to draw their differences.
func thinned(samples []receipt.Sample) []receipt.Sample {
	const most = 48
	every := (len(samples) + most - 1) / most
	var all []receipt.Sample
	for i, s := range samples {
		last := i == len(samples)-1
		if i%max(1, every) != 0 && !last {
			continue
		}
		if n := len(all); last && n > 1 && s.Seconds-all[n-1].Seconds < (all[n-1].Seconds-all[n-2].Seconds)/2 {
			all[n-1] = s // too little time for a rate of its own
			continue
		}
		if n := len(all); n == 0 || s.Seconds > all[n-1].Seconds {
			all = append(all, s)
		}
	}
	return all
}

// rates returns the work in a second between samples, each at the time of the later one.
func rates(samples []receipt.Sample, done func(receipt.Sample) float64) (x, y []float64) {
	for i, s := range samples[1:] {
		before := samples[i]
		x = append(x, s.Seconds)
		y = append(y, max(0, (done(s)-done(before))/(s.Seconds-before.Seconds)))
	}
	return slices.Insert(x, 0, samples[0].Seconds), slices.Insert(y, 0, y[0])
}

// workers counts the workers of a run: of steps that share a process, those of the first, which has its CPU time.
func workers(steps []receipt.StepAccount) (n int) {
	all := 0
	for i := range steps {
		all += steps[i].Workers
		if steps[i].CPUSeconds > 0 {
			n += steps[i].Workers
		}
	}
	return cmp.Or(n, all)
}

func curves(t *receipt.Timeline, workers int) []chart.Curve {
	curve := func(title, note string, text func(float64) string, done func(receipt.Sample) float64) chart.Curve {
		x, y := rates(t.Samples, done)
		return chart.Curve{Title: title, Note: note, X: x, Y: y, Text: text}
	}
	size := func(y float64) string { return strings.Replace(format.Size(int64(y)), ".0 ", " ", 1) }
	done := curve("Done", "bytes in a second", size, func(s receipt.Sample) float64 { return float64(s.BytesDone) })
	if t.Samples[len(t.Samples)-1].BytesDone == 0 { // of an older version
		done = curve("Read", "bytes in a second", size, func(s receipt.Sample) float64 { return float64(s.BytesRead) })
	}
	all := []chart.Curve{
		done,
		curve("Written", "records in a second", format.Short, func(s receipt.Sample) float64 { return float64(s.Written) }),
		curve("Busy", "workers at once", func(y float64) string { return strconv.FormatFloat(y, 'g', 3, 64) }, busy),
	}
	atOnce := all[len(all)-1].Y
	for i := range atOnce { // the time and the work of a sample are read one after the other
		atOnce[i] = min(atOnce[i], float64(workers))
	}
	return all
}

// spark returns the share of its workers that a step kept busy. How the time of a chain is divided is measured now and then, so a
// share may come out late, above 1.
func spark(t *receipt.Timeline, s *receipt.StepAccount) *chart.Curve {
	i := slices.Index(t.Steps, s.Name)
	if i < 0 {
		return nil
	}
	x, y := rates(t.Samples, func(s receipt.Sample) float64 { return s.Steps[i].BusySeconds })
	for k := range y {
		y[k] = min(1, y[k]/float64(max(1, s.Workers)))
	}
	return &chart.Curve{X: x, Y: y}
}

func heldBy(h *receipt.Holder) string {
	name, share := short(h.Name), format.Share(micro(h.Busy), micro(1))
	switch h.Kind {
	case "sink":
		return fmt.Sprintf("sink %s, which was writing %s of the time", name, share)
	case "source":
		return fmt.Sprintf("source %s, for which it waited %s of the time", name, share)
	}
	return fmt.Sprintf("step %s, which was busy %s of the time", name, share)
}

type timeView struct {
	Curves []chart.Curve
	Held   string // what the run waited for, as part of a sentence; "" when nothing held it
	Brief  bool   // the run was too short for curves
	Steps  list[stepTime]
	Sparks bool
	CPU    bool  // of some step CPU time is known
	Idle   int64 // steps that are left out, each with less than a hundredth of the time
}

type stepTime struct {
	*receipt.StepAccount
	Rate  string // of records, while it was busy
	Share string // of the busy time of all steps
	Bar   chart.Bar
	Spark *chart.Curve
}

func (m *maker) time() *timeView {
	v := &timeView{}
	line := m.timeline()
	if line != nil && line.Held != nil {
		v.Held = heldBy(line.Held)
	}
	if line != nil && moving(line.Samples) < leastMoving {
		line, v.Brief = nil, true
	}
	if line != nil {
		v.Curves = curves(line, workers(m.run.Steps))
	}
	var busy, most float64
	for _, s := range m.run.Steps {
		busy, most = busy+s.BusySeconds, max(most, s.BusySeconds)
	}
	var steps []stepTime
	for i := range m.run.Steps {
		s := &m.run.Steps[i]
		if s.In == 0 && s.BusySeconds <= busy/100 {
			continue
		}
		row := stepTime{StepAccount: s, Share: format.Share(micro(s.BusySeconds), micro(busy)), Bar: chart.BarOf(micro(most), "main", micro(s.BusySeconds))}
		if s.BusySeconds > 0 {
			row.Rate = format.Short(float64(int64(float64(s.In) / s.BusySeconds)))
		}
		if line != nil {
			row.Spark = spark(line, s)
		}
		v.Sparks, v.CPU = v.Sparks || row.Spark != nil && slices.Max(row.Spark.Y) > 0.05, v.CPU || s.CPUSeconds > 0
		steps = append(steps, row)
	}
	slices.SortStableFunc(steps, func(a, b stepTime) int { return cmp.Compare(b.BusySeconds, a.BusySeconds) })
	idle := slices.IndexFunc(steps, func(s stepTime) bool { return s.BusySeconds < busy/100 && s.Restarts == 0 })
	if idle > 0 && idle < len(steps)-2 {
		v.Idle = int64(len(steps) - idle)
		steps = steps[:idle]
	}
	v.Steps = listOf(steps)
	if len(steps) == 0 && len(v.Curves) == 0 {
		return nil
	}
	return v
}

func micro(seconds float64) int64 { return int64(seconds * 1e6) }
