package terminal

import (
	"io"
	"os"
	"runtime"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// A Paint colours text with the terminal's own palette, or leaves it as it is.
type Paint bool

// PaintFor returns the Paint for w: it colours in a terminal that is not dumb, unless NO_COLOR is set, and
// anywhere if CLICOLOR_FORCE is.
func PaintFor(w io.Writer, env func(string) string) Paint {
	switch force := env("CLICOLOR_FORCE"); {
	case env("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	_, ok := drawable(w, env)
	return Paint(ok)
}

// drawable returns the terminal that w is, if its lines can be redrawn.
func drawable(w io.Writer, env func(string) string) (*os.File, bool) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil, false
	}
	if kind := env("TERM"); kind == "dumb" || kind == "" && runtime.GOOS != "windows" {
		return nil, false
	}
	return file, obeysEscapes(file)
}

var (
	good   = ansi.Style{}.ForegroundColor(ansi.Green)
	notice = ansi.Style{}.ForegroundColor(ansi.Yellow)
	bad    = ansi.Style{}.ForegroundColor(ansi.Red)
	accent = ansi.Style{}.ForegroundColor(ansi.Cyan)
	strong = ansi.Style{}.Bold()
	faint  = ansi.Style{}.Faint()
)

func (p Paint) with(s ansi.Style, text string) string {
	if !p || text == "" {
		return text
	}
	return s.Styled(text)
}

// Good colours text that says that all is well.
func (p Paint) Good(text string) string { return p.with(good, text) }

// Notice colours text about what needs a look.
func (p Paint) Notice(text string) string { return p.with(notice, text) }

// Bad colours text about what went wrong.
func (p Paint) Bad(text string) string { return p.with(bad, text) }
