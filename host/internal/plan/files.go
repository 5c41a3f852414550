package plan

import (
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/host/receipt"
)

// byFile is how far a source is that is read file by file.
type byFile struct {
	names  []string // of all files
	next   int
	now    *source.Source // of the file at hand; nil: it is not read
	done   []receipt.Input
	passed int64 // bytes of the files that are done

	progress atomic.Int64 // bytes that were read
}

// A File is a file of the inputs, as it was when it was found.
type File struct {
	Name  string
	Shown string // the name that its records have
	Info  fs.FileInfo

	Portion *source.Portion // what is read of it; nil: all of it
}

// File returns the nth of the files that the source returns records of, counted from 0.
func (src *Source) File(n int) (f File, ok bool) {
	if src.silent || n >= len(src.files.names) {
		return File{}, false
	}
	name := src.files.names[n]
	return File{Name: name, Shown: src.mask(name), Info: src.source.Info(n), Portion: src.source.Portion(n)}, true
}

// NextFile has the source return the records of its next file, the first at first, and io.EOF behind them. It returns io.EOF after the
// last file.
func (src *Source) NextFile() error {
	if src.silent {
		return io.EOF
	}
	b := src.files
	if err := src.leaveFile(); err != nil {
		return err
	}
	if b.next == len(b.names) {
		return io.EOF
	}
	b.now = src.source.Only(b.next)
	b.next++
	return nil
}

func (src *Source) leaveFile() error {
	b := src.files
	if b == nil || b.now == nil {
		return nil
	}
	now := b.now
	b.now = nil
	b.add(now.Inputs()...)
	return now.Close()
}

func (b *byFile) add(inputs ...receipt.Input) {
	for _, in := range inputs {
		b.done = append(b.done, in)
		b.passed += in.Bytes
	}
	b.note()
}

// note notes how much was read.
func (b *byFile) note() {
	read := b.passed
	if b.now != nil {
		at, _ := b.now.Progress()
		read += at
	}
	b.progress.Store(read)
}

// Known says what an earlier run read of the file at hand, which is not read now.
func (src *Source) Known(in receipt.Input) {
	src.files.now = nil
	src.files.add(src.source.Again(src.files.next-1, in))
}

// Input returns the account of the file at hand when it was read to its end.
func (src *Source) Input() (in receipt.Input, ok bool) {
	if b := src.files; b != nil && b.now != nil && len(b.now.Inputs()) == 1 {
		return b.now.Inputs()[0], true
	}
	return in, false
}

// checkStored reports what a run cannot store of a file: what does not follow from each file of the inputs alone.
func (p *Plan) checkStored(fleet *launch.Fleet) (diags config.Diagnostics) {
	if !p.opts.Stored {
		return nil
	}
	for i, step := range p.Steps {
		what := "the results of step " + step.Label() + " cannot be stored"
		switch info := fleet.Steps[i].Info; {
		case info.Ordered:
			diags = append(diags, p.tree.AtRange(step.Range, what, "plugin "+step.Type+" keeps state from record to record, so what it makes of one file "+
				"depends on those before it; run the pipeline without --store, or this step in a pipeline of its own on what the others have written"))
		case info.Concurrent:
			diags = append(diags, p.tree.AtRange(step.Range, what, "plugin "+step.Type+" waits for something outside, such as a service, which may answer "+
				"otherwise the next time; run the pipeline without --store"))
		case p.draws(step) != "":
			diags = append(diags, p.tree.AtArg(step.Step, p.draws(step), what, "each run draws another "+p.draws(step)+", and rows of several runs would lie side by side; run the pipeline without --store"))
		case p.asks(step) != "":
			diags = append(diags, p.tree.AtArg(step.Step, p.asks(step), what, p.asks(step)+" is a command, and nobody knows what its answers depend on; run the pipeline without --store"))
		}
	}
	for _, c := range p.Shadows {
		diags = append(diags, p.tree.AtRange(c.Range, "the results of shadow "+c.Name+" cannot be stored",
			"its report shows examples of the differences in the whole run; run the pipeline without --store"))
	}
	return diags
}

// asks returns the attribute of a step with the command of a program that it asks about records, "" for none. A program that is named by its
// path is known by its bytes.
func (p *Plan) asks(step *Step) string {
	attr := ProgramAttr(p.tree, step.Step, p.opts.Programs)
	for _, args := range [][]byte{step.Args.JSON, step.Shared.JSON} {
		if v := gjson.GetBytes(args, attr); attr != "" && v.IsArray() && len(v.Array()) > 0 {
			return attr
		}
	}
	return ""
}

// draws returns the attribute of a step for which each run draws something that its rows show, "" for none.
func (p *Plan) draws(step *Step) string {
	for attr, value := range p.opts.Drawn[step.Type] {
		for _, args := range [][]byte{step.Args.JSON, step.Shared.JSON} {
			if gjson.GetBytes(args, attr).Str == value {
				return attr
			}
		}
	}
	return ""
}

// checkFiles reports the sources whose files cannot be told apart from others: they have no size.
func (p *Plan) checkFiles() (diags config.Diagnostics) {
	for _, src := range p.Sources {
		if src.silent || src.source == nil || !p.opts.Stored {
			continue
		}
		if name := src.irregular(); name != "" {
			diags = append(diags, p.tree.At(src.config.Args, "paths", "the results of source "+src.Label()+" cannot be stored",
				fmt.Sprintf("want files, which can be read again, have %s", src.mask(name))))
		}
	}
	return diags
}
