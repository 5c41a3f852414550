// Package look is how everything looks that sluice shows in a browser, and how it writes figures for people: one style sheet,
// one kind of chart, one form of a number.
package look

import (
	_ "embed"
)

//go:embed style.css
var style string

//go:embed chart.css
var charts string

// Style is the style sheet of every page.
var Style = style + charts
