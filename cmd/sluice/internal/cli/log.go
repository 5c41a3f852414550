package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/terminal"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

// A jsonLog writes messages to stderr as JSON objects, one a line, for --log-format json.
type jsonLog struct{ *slog.Logger }

func newJSONLog(to io.Writer) *jsonLog {
	return &jsonLog{slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindString {
			a.Value = slog.StringValue(format.Printable(a.Value.String()))
		}
		return a
	}}))}
}

// Trace has every message name the trace that it belongs to.
func (p *Printer) Trace(id string) {
	if p.log != nil {
		p.log.Logger = p.log.With("trace_id", id)
	}
}

// A logFormat is the flag --log-format, a pflag.Value.
type logFormat struct{ *Printer }

const logFormatFlag = "log-format"

// AddLogFormat adds --log-format to a command and those below it.
func (p *Printer) AddLogFormat(c *cobra.Command) {
	c.PersistentFlags().Var(logFormat{p}, logFormatFlag, "write messages to stderr as `text`, or as json, one object a line")
}

func (f logFormat) String() string {
	if f.Printer == nil || f.log == nil {
		return "text"
	}
	return "json"
}

func (f logFormat) Set(format string) error {
	switch format {
	case "text":
		f.log = nil
	case "json":
		f.log = newJSONLog(f.err)
		slog.SetDefault(f.log.Logger) // what libraries write through package log, too
	default:
		return fmt.Errorf("want text or json, have %q", format)
	}
	return nil
}

func (logFormat) Type() string { return "format" }

// PresetLogFormat sets the format before the flags are parsed, so that an error in them is written in it, too.
func (p *Printer) PresetLogFormat(args []string) {
	for i, arg := range args {
		name, format, ok := strings.Cut(arg, "=")
		switch {
		case arg == "--":
			return
		case strings.TrimLeft(name, "-") != logFormatFlag || !strings.HasPrefix(name, "-"):
			continue
		case !ok && i+1 < len(args):
			format = args[i+1]
		}
		_ = logFormat{p}.Set(format) // the flags are parsed again, and then it is an error
	}
}

func (l *jsonLog) warning(w receipt.Warning) {
	l.Warn(w.Message, present("code", w.Code, "place", w.Place)...)
}

func (l *jsonLog) diagnostics(all host.Diagnostics) {
	for _, d := range all {
		level := slog.LevelError
		if d.Severity != "error" {
			level = slog.LevelWarn
		}
		place := d.Path
		if d.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", d.Path, d.Line, d.Column)
		}
		l.Log(context.Background(), level, d.Summary,
			present("place", place, "block", d.Context, "detail", d.Detail, "suggestion", d.Suggestion, "help", d.Help)...)
	}
}

func present(about ...string) (kept []any) {
	for i := 0; i < len(about); i += 2 {
		if about[i+1] != "" {
			kept = append(kept, about[i], about[i+1])
		}
	}
	return kept
}

// failure logs an error with the exit code and, if a step ended the run, which step and which record.
func (l *jsonLog) failure(err error, exit int) {
	about := []any{"exit", exit}
	if diags, ok := errors.AsType[host.Diagnostics](err); ok {
		l.diagnostics(diags)
		l.Error(mistakes(diags), about...)
		return
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		about = append(about, "usage", usage.command.UseLine())
	}
	if f, ok := errors.AsType[*host.StepFailure](err); ok {
		about = append(about, "step", f.Step)
		if f.At.File != "" {
			about = append(about, "place", f.At.String())
		}
	}
	l.Error(mask.Error(err), about...)
}

// progress returns what logs the progress of a run, as often as plain lines do.
func (l *jsonLog) progress() func(host.Progress) {
	var now host.Progress
	lines := terminal.NewLines(func(line terminal.Line) { l.howFar(now, line) })
	return func(p host.Progress) {
		now = p
		lines.Show(p)
	}
}

func (l *jsonLog) howFar(p host.Progress, line terminal.Line) {
	about := []any{
		"seconds", p.Elapsed.Seconds(), "records_read", p.Records, "records_written", p.Written, "bytes_read", p.Bytes,
		"records_done", p.DoneRecords, "bytes_done", p.DoneBytes, "bytes_per_second", line.Rate, "rejected", mask.Counts(p.Rejected),
	}
	if p.Total > 0 {
		about = append(about, "bytes", p.Total)
	}
	if line.Left > 0 {
		about = append(about, "left_seconds", line.Left.Seconds())
	}
	about = append(about, present("held", line.Held)...)
	type step struct {
		Step     string  `json:"step"`
		In       int64   `json:"records_in"`
		Out      int64   `json:"records_out"`
		BytesIn  int64   `json:"bytes_in"`
		Busy     float64 `json:"busy_seconds"`
		Queue    int     `json:"queue"`
		Restarts int     `json:"restarts"`
	}
	steps := []step{}
	for _, s := range p.Steps {
		steps = append(steps, step{s.Name, s.In, s.Out, s.BytesIn, s.Busy.Seconds(), s.Queue, s.Restarts})
	}
	l.Info("progress", append(about, "steps", steps)...)
}

// summary logs what a run did. The rest is in its receipt.
func (l *jsonLog) summary(r *host.Result) {
	t := r.Totals
	type output struct {
		Path    string `json:"path"`
		Records int64  `json:"records"`
		Bytes   int64  `json:"bytes"`
	}
	outputs := []output{}
	for _, o := range r.Outputs {
		outputs = append(outputs, output{o.Path, o.Records, o.Bytes})
	}
	lost, privacy := map[string]map[string]int64{}, map[string]string{}
	for _, s := range r.Steps {
		if filters(s) {
			privacy[s.Name] = filtered(s)
		}
		if losses := losses(s.Counts); len(losses) > 0 {
			lost[s.Name] = mask.Counts(losses)
		}
	}
	about := []any{
		"run", r.Run, "seconds", t.Seconds, "files", len(r.Inputs), "bytes_read", t.BytesRead, "bytes_written", t.BytesWritten,
		"records_read", t.Read, "records_written", t.Written, "records_dropped", t.Dropped.Total, "records_rejected", t.Rejected.Total,
		"dropped", mask.Counts(t.Dropped.By), "rejected", mask.Counts(t.Rejected.By), "lost", lost, "privacy", privacy, "outputs", outputs,
	}
	if r.Partial != nil {
		about = append(about, "partial", fmt.Sprint(r.Partial))
	}
	if r.Reused != nil {
		about = append(about, "files_reused", r.Reused.Files, "records_reused", r.Reused.Records)
		for _, b := range r.Reused.Behind {
			about = append(about, "files_behind."+b.Step, b.Files)
		}
	}
	for _, c := range r.Shadows {
		about = append(about, "shadow."+c.Shadow, c.Differing)
	}
	if f, ok := r.Funnel(); ok {
		about = append(about, "records_kept", f.Kept, "records_copied", f.Copied)
	}
	l.Info("done", append(about, present("receipt", r.Path, "report", r.Page)...)...)
	for _, w := range warningsOf(r) {
		l.warning(w)
	}
}
