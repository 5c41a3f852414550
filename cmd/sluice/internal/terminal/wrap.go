package terminal

import (
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// Wrapped breaks a line between words for the terminal that it is written to. Further lines begin with so many spaces. For what is
// no terminal it is returned as it is.
func Wrapped(w io.Writer, line string, indent int) string {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return line
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return line
	}
	return wrapped(line, width, indent)
}

// wrapped breaks a line where a word would not end within the width. A word that is wider than that is left to the terminal. An indent
// that would take half of the room becomes a small one.
func wrapped(line string, width, indent int) string {
	if ansi.StringWidth(line) <= width {
		return line
	}
	if width < 2*indent {
		indent = min(indent, 2)
	}
	var b strings.Builder
	at := 0
	for i, word := range strings.Split(line, " ") {
		n := ansi.StringWidth(word)
		switch {
		case i == 0:
		case at+1+n <= width:
			b.WriteByte(' ')
			at++
		case n > 0:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}
