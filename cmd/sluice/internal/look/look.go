// Package look is how everything looks that sluice shows in a browser, and how it writes figures for people: one style sheet,
// one kind of chart, one form of a number.
package look

import (
	_ "embed"
	"html/template"
)

//go:embed style.css
var pages string

//go:embed chart.css
var charts string

// Style is the style sheet of every page.
var Style = pages + charts

//go:embed chart.html
var chartTemplates string

// Templates are a new set of the templates that draw charts, with the functions that write figures. A page adds its own.
func Templates() *template.Template {
	return template.Must(template.New("look").Funcs(template.FuncMap{
		"bar": BarOf, "count": Count, "cut": Cut, "figure": figureOf, "parts": Parts, "plural": Plural[int64], "printable": Printable,
		"seconds": Seconds, "share": Share, "size": Size, "style": func() template.CSS { return template.CSS(Style) },
	}).Parse(chartTemplates))
}

// A flowFigure is one number of a stop.
type flowFigure struct {
	What, N, Class string
	None           bool
}

// figureOf makes a figure of a stop, which is left out when it is none and nobody looks for it.
func figureOf(what string, n int64, always bool) flowFigure {
	f := flowFigure{What: what, N: Count(n), None: n == 0 && !always}
	if n > 0 {
		f.Class = map[string]string{"rejected": "is-bad", "dropped": "is-warn", "declined": "soft"}[what]
	}
	return f
}
