package terminal

import (
	"time"

	"github.com/sluicehq/sluice/host"
)

// How far back rates look, and how far back the time left does, which would jump otherwise.
const (
	recent  = 5 * time.Second
	horizon = 30 * time.Second
)

// A history holds the latest progress of a run, the oldest first. It begins as records begin to flow: the time in which processes
// start, and what an interrupted run had done before, belong to no rate.
type history struct{ samples []host.Progress }

func (h *history) add(p host.Progress) {
	h.samples = append(h.samples, p)
	for len(h.samples) > 2 && p.Elapsed-h.samples[1].Elapsed >= horizon {
		h.samples = h.samples[1:]
	}
}

// begun says that there is a time over which something can be counted.
func (h *history) begun() bool { return len(h.samples) > 1 }

func (h *history) now() host.Progress { return h.samples[len(h.samples)-1] }

// within returns the samples of the last span of time, and the one before it if there is one.
func (h *history) within(span time.Duration) []host.Progress {
	first := 0
	for first+2 < len(h.samples) && h.now().Elapsed-h.samples[first+1].Elapsed >= span {
		first++
	}
	return h.samples[first:]
}

// A pace is what left a run in its last seconds.
type pace struct {
	bytes float64       // by the second
	left  time.Duration // 0 when it is not known
	steps []stepPace
	held  host.Holder
}

// A stepPace is what went through a step in the last seconds.
type stepPace struct {
	host.StepProgress
	records, bytes float64 // by the second
	busy           float64 // share of the time of its workers
}

func (h *history) pace() (x pace) {
	now, before := h.now(), h.within(recent)[0]
	seconds := (now.Elapsed - before.Elapsed).Seconds()
	if seconds <= 0 {
		return x
	}
	x.bytes = max(0, float64(now.DoneBytes-before.DoneBytes)/seconds)
	x.left = h.left()
	for i, s := range now.Steps {
		step := stepPace{StepProgress: s}
		var was host.StepProgress
		if i < len(before.Steps) {
			was = before.Steps[i]
		}
		step.records = float64(s.In-was.In) / seconds
		step.bytes = float64(s.BytesIn-was.BytesIn) / seconds
		step.busy = now.StepShare(before, i)
		x.steps = append(x.steps, step)
	}
	x.held = host.HeldBy(now, before)
	return x
}

// left returns how long the rest of the input takes at the pace of late, 0 when that is not known.
func (h *history) left() time.Duration {
	now, before := h.now(), h.within(horizon)[0]
	went := now.DoneBytes - before.DoneBytes
	if went <= 0 || now.DoneBytes >= now.Total {
		return 0
	}
	return time.Duration(float64(now.Elapsed-before.Elapsed) * float64(now.Total-now.DoneBytes) / float64(went))
}
