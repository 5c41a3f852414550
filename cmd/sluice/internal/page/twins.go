package page

import (
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
)

type twinsView struct {
	Step    string
	Of      int64
	Dropped list[reason]
	Pairs   []twins
	AllRows bool // the pairs are all that there are
}

// Twins are two records of which one was left out.
type twins struct {
	File     string
	Line     int64
	Twin     string
	TwinLine int64
	Kind     string
	Alike    string
}

func (m *maker) twins() (all []twinsView) {
	for _, s := range m.run.Steps {
		if s.Plugin != "dedup" || s.In == 0 {
			continue
		}
		v := twinsView{Step: s.Name, Of: s.In, Dropped: ofStep("warn", s, s.Dropped.By)}
		m.pairs(&v)
		all = append(all, v)
	}
	return all
}

// pairs reads the first pairs that the step has written.
func (m *maker) pairs(v *twinsView) {
	const most = 8
	for _, o := range m.run.Outputs {
		if o.Side != v.Step+"/pairs" || o.Records == 0 {
			continue
		}
		f := m.open(o.Path, o.SHA256)
		if f == nil {
			return
		}
		defer f.Close()
		_, err := read(f, 1<<18, func(row []byte) {
			x := gjson.ParseBytes(row)
			if len(v.Pairs) < most {
				v.Pairs = append(v.Pairs, twins{
					x.Get("file").Str, x.Get("line").Int(), x.Get("twin_file").Str, x.Get("twin_line").Int(),
					x.Get("kind").Str, format.Share(int64(x.Get("similarity").Num*1000), 1000),
				})
			}
		})
		if err != nil {
			m.troubles[o.Path] = err.Error()
		}
		v.AllRows = int64(len(v.Pairs)) == o.Records
	}
}
