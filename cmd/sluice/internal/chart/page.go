// Package chart draws the charts that sluice shows in a browser, and holds the style sheet of its pages.
package chart

import (
	_ "embed"
	"html/template"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/plural"
)

//go:embed style.css
var pages string

//go:embed chart.css
var charts string

// Style is the style sheet of all pages.
var Style = pages + charts

//go:embed chart.html
var chartTemplates string

// Templates returns a new set of the templates that draw charts, with the functions that write figures. A page adds its own templates.
func Templates() *template.Template {
	return template.Must(template.New("look").Funcs(template.FuncMap{
		"bar": BarOf, "count": plural.Count, "cut": format.Cut, "figure": figureOf, "parts": format.Parts, "plural": plural.Of[int64], "printable": format.Printable,
		"seconds": format.Seconds, "share": format.Share, "size": format.Size, "style": func() template.CSS { return template.CSS(Style) },
	}).Parse(chartTemplates))
}

type flowFigure struct {
	What, N, Class string
	None           bool
}

// figureOf returns a figure of a stop, which is left out when it is zero unless it is always shown.
func figureOf(what string, n int64, always bool) flowFigure {
	f := flowFigure{What: what, N: plural.Count(n), None: n == 0 && !always}
	if n > 0 {
		f.Class = map[string]string{"rejected": "is-bad", "dropped": "is-warn", "declined": "soft"}[what]
	}
	return f
}
