// Package cli writes every message to people, and holds the flags, argument checks and completions that commands share.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/term"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/terminal"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// A Printer writes messages to stderr and data to stdout. Messages never show a value of a record.
type Printer struct {
	Version  string                                // of the program
	Code     func(plugin string) (own, sdk string) // hashes of built-in plugins; nil when they are not known
	out, err io.Writer
	log      *jsonLog // nil: messages are text

	mu       sync.Mutex
	screen   *terminal.Screen // nil: nothing is redrawn
	reported bool             // the failure was written to stdout, as JSON
	lines    bool             // JSON takes one line each

	wrote atomic.Bool // something to stdout
	left  atomic.Bool // the reader of stdout
}

// New returns a Printer of text.
func New(out, err io.Writer, version string) *Printer {
	return &Printer{Version: version, out: out, err: err}
}

// Out returns stdout for data.
func (p *Printer) Out() io.Writer { return stdout{p, p.out} }

// ReaderLeft reports whether the reader of stdout has left. A pipe of a pipeline may break as well.
func (p *Printer) ReaderLeft() bool { return p.left.Load() }

// stdout notes that something was written to it, and when its reader has left.
type stdout struct {
	printer *Printer
	to      io.Writer
}

// Write implements io.Writer.
func (w stdout) Write(data []byte) (int, error) {
	n, err := w.to.Write(data)
	if n > 0 {
		w.printer.wrote.Store(true)
	}
	if errors.Is(err, syscall.EPIPE) {
		w.printer.left.Store(true)
	}
	return n, err
}

// Stat describes the file that stdout leads to. The error is fs.ErrInvalid when it is none.
func (w stdout) Stat() (fs.FileInfo, error) {
	file, ok := w.printer.out.(*os.File)
	if !ok {
		return nil, fs.ErrInvalid
	}
	return file.Stat()
}

// Say writes a message to stderr.
func (p *Printer) Say(message string, args ...any) {
	text := fmt.Sprintf(message, args...)
	if p.log != nil {
		p.log.Info(text)
		return
	}
	p.line(format.Printable(text))
}

// SayLines writes each line of a text to stderr as a message.
func (p *Printer) SayLines(text string) {
	for line := range strings.Lines(text) {
		p.Say("%s", strings.TrimRight(line, " \n"))
	}
}

func (p *Printer) line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.screen != nil {
		p.screen.Say(text)
		return
	}
	fmt.Fprintln(p.err, text)
}

// Log writes a line that a plugin printed.
func (p *Printer) Log(step, line string) {
	if p.log != nil {
		p.log.Info(line, "step", step)
		return
	}
	p.Say("%s: %s", step, OneLine(line))
}

// Span writes a span of OpenTelemetry, a JSON object.
func (p *Printer) Span(text []byte) {
	if p.log != nil {
		p.log.Info("span", "span", json.RawMessage(text))
		return
	}
	p.Say("%s", text)
}

// Warn says what may be wrong with what a command has done.
func (p *Printer) Warn(message string, args ...any) {
	p.warning(receipt.Warning{Message: fmt.Sprintf(message, args...)}, terminal.PaintFor(p.err, os.Getenv))
}

// Valid says that a pipeline file is valid, with its warnings.
func (p *Printer) Valid(file string, warnings host.Diagnostics) {
	switch {
	case len(warnings) == 0:
	case p.log != nil:
		p.log.diagnostics(warnings)
	default:
		p.Say("%s", warnings.Snippets())
	}
	p.Say("%s is valid", file)
}

// Write writes data to stdout as it is.
func (p *Printer) Write(text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := io.WriteString(p.Out(), text)
	return err
}

// Print writes the lines of a text for people to stdout.
func (p *Printer) Print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(text) {
		fmt.Fprintln(p.Out(), format.Printable(strings.TrimRight(line, " \n")))
	}
}

// LineJSON has JSON write one line for each value.
func (p *Printer) LineJSON() { p.lines = true }

// JSON writes a value to stdout for machines.
func (p *Printer) JSON(v any) error {
	enc := json.NewEncoder(p.Out())
	if !p.lines {
		enc.SetIndent("", "  ")
	}
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Result writes a value to stdout for machines, and returns the verdict on it, which is then not repeated on stderr.
func (p *Printer) Result(v any, verdict error) error {
	p.reported = true
	return errors.Join(p.JSON(v), verdict)
}

// Fail returns an error, and writes it to stdout first when asJSON and nothing was written there yet.
func (p *Printer) Fail(asJSON bool, err error) error {
	if !asJSON || err == nil || p.reported {
		return err
	}
	var diags host.Diagnostics
	var failure Diagnosed
	if errors.As(err, &diags) {
		failure.Diagnostics = diags
	} else {
		failure.Error = mask.Error(err)
	}
	if kept, ok := errors.AsType[*host.Resumable](err); ok {
		failure.Resume = kept.Command
	}
	return p.Result(failure, err)
}

// Answer writes the answer of a command: an error as Fail does, or else v as JSON when asJSON, or by show.
func (p *Printer) Answer(asJSON bool, v any, err error, show func() error) error {
	return p.Judge(asJSON, v, err, func() error { return nil }, show)
}

// Judge writes the answer of a command as Answer does, and returns the verdict on it.
func (p *Printer) Judge(asJSON bool, v any, err error, verdict, show func() error) error {
	switch {
	case err != nil:
		return p.Fail(asJSON, err)
	case asJSON:
		return p.Result(v, verdict())
	}
	return errors.Join(show(), verdict())
}

// Diagnosed is what a machine reads about a file or a run.
type Diagnosed struct {
	Error       string           `json:"error,omitempty"`
	Diagnostics host.Diagnostics `json:"diagnostics,omitempty"`
	Resume      string           `json:"resume,omitempty"` // the command that goes on with a run
}

// ErrIsTerminal reports whether a person sees the messages as they come.
func (p *Printer) ErrIsTerminal() bool { return isTerminal(p.err) }

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// OneLine returns a text in which lines cannot be forged.
func OneLine(text string) string { return strings.ReplaceAll(text, "\n", `\n`) }

// Breakdown returns "a 3, b 1", the most frequent first, in lines that a terminal holds.
func Breakdown(by map[string]int64) []string {
	var all []string
	for _, name := range format.MostFirst(by) {
		all = append(all, fmt.Sprintf("%s %s", OneLine(name), plural.Count(by[name])))
	}
	return wrapped("", all)
}

// wrapped lists texts behind a beginning, in as many lines as they take.
func wrapped(begin string, texts []string) []string {
	const width = 60
	var lines []string
	for i, text := range texts {
		last := len(lines) - 1
		switch {
		case i == 0:
			lines = append(lines, begin+text)
		case len(lines[last])+len(text)+2 <= width:
			lines[last] += ", " + text
		default:
			lines[last] += ","
			lines = append(lines, text)
		}
	}
	return lines
}
