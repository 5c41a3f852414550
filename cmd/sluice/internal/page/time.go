package page

import (
	"slices"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/receipt"
)

type timeView struct {
	Curves []chart.Curve
	Brief  bool // the run was too short for curves
	Steps  list[stepTime]
	Sparks bool
	CPU    bool // of some step CPU time is known
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
	if line != nil && moving(line.Samples) < leastMoving {
		line, v.Brief = nil, true
	}
	if line != nil {
		v.Curves = curves(line)
	}
	var busy, most float64
	for _, s := range m.run.Steps {
		busy, most = busy+s.BusySeconds, max(most, s.BusySeconds)
	}
	var steps []stepTime
	for i := range m.run.Steps {
		s := &m.run.Steps[i]
		if s.In == 0 && s.BusySeconds < busy/100 {
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
	slices.SortStableFunc(steps, func(a, b stepTime) int { return int(micro(b.BusySeconds) - micro(a.BusySeconds)) })
	v.Steps = listOf(steps)
	if len(steps) == 0 && len(v.Curves) == 0 {
		return nil
	}
	return v
}

func micro(seconds float64) int64 { return int64(seconds * 1e6) }
