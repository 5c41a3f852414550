// Package sdk is what a plugin author needs: a [Plugin] value, and [Main] to serve it.
//
// Most plugins are a [Map], a [Filter] or a [Func] over [Record.Get] and [Record.Set]:
//
//	type config struct {
//		Greeting string `hcl:"greeting,optional" doc:"the words before the name"`
//	}
//
//	func main() {
//		sdk.Main(sdk.Plugin{Name: "hello", Doc: "greets the person whom a record names", Args: config{"hello"}, New: open})
//	}
//
//	func open(a sdk.Args) (sdk.Processor, error) {
//		var cfg config
//		return sdk.Map(func(r *sdk.Record) error {
//			return r.Set("greeting", cfg.Greeting+" "+r.Get("name").String())
//		}), a.Decode(&cfg)
//	}
//
// Package sdktest runs the same value against cases, without a process.
//
// # What may be kept
//
// KEEP WHAT [Record.Get] RETURNS, AND NOTHING THAT [Record.View], [Record.JSON] OR [Reading] RETURNS. A record lies in memory
// that the host reuses for other records as soon as Process has returned. Get copies. The others do not, which is faster, but
// their strings, also as keys of a map and inside a gjson.Result, silently become text of other records. A [Record] must
// not be kept either: using one late panics. The SDK copies all it is handed (labels, reasons, counts, side rows,
// emitted records). Package sdktest overwrites records when Process returns, so that a kept view fails the test.
//
// A plugin that drops repeated records has to remember keys:
//
//	sdk.Plugin{
//		Name: "unique", Doc: "drops records whose key came before", Args: config{}, Ordered: true,
//		New: func(a sdk.Args) (sdk.Processor, error) {
//			var cfg config
//			seen := map[string]bool{}
//			return sdk.Filter(func(r *sdk.Record) (bool, error) {
//				key := r.Get(cfg.Key).String()
//				first := !seen[key]
//				seen[key] = true
//				return first, nil
//			}), a.Decode(&cfg)
//		},
//	}
//
// Ordered makes it one worker, so that one map sees every record, in the order of the input, so that the first of two equal
// records stays. Get returns a key that may be kept. A processor that reports at the end what it has seen is a [Finisher],
// and one that joins records and emits the last of them at the end is a [Flusher]. So that an interrupted run can go on where it was,
// a processor that keeps state is a [Saver] too.
// One whose attributes decide which values its labels may have is a [Labeller].
//
// # Compatibility
//
// Within a major version the exported names of this package and of package sdktest stay, with their
// meaning; new fields, methods and functions may come, so name the fields of a Plugin. A program built with one
// version runs under hosts of others: host and plugin agree on a version of the protocol that both speak, and a host
// keeps the older ones of its major version. The want sections of sdktest keep their form. Nothing is promised for package wire
// and the packages below it, nor for [Host], [ArgErrors] and [ParseArgs]: they are for hosts and test kits.
package sdk

import (
	"context"
	"fmt"
)

// A Processor is the running instance of a plugin inside one step. One goroutine calls it, unless the plugin is Concurrent.
// If it is an io.Closer too, Close is called after the last record, too late to write rows or counts: see Finisher.
type Processor interface {
	// Process handles one record. What it emits goes on in the order of the calls; nil and nothing emitted is a
	// drop. If it returns an error, nothing that it emitted goes on: see Reject, Drop, Decline and Fatal; any
	// other error rejects the record with code "error". r and all views into it are invalid when Process has returned.
	//
	// emit takes r and what was derived from it, and panics for a record of another call or processor. nil and a record without bytes
	// reject r with code "invalid_output", and too many records with "too_large", whatever Process returns but Fatal: 131,072 may come
	// of one record, or one for each 512 bytes of the step's memory where that is more. If Process returns no error, a record that is
	// not JSON rejects r with "invalid_output", and more bytes than that memory has with "too_large".
	//
	// ctx ends with the run, and when the step's timeout is over, which is a crash over r. An error that Process returns after
	// that rejects nothing.
	Process(ctx context.Context, r *Record, emit func(*Record)) error
}

// A Finisher is a Processor of an Ordered plugin that writes something at the end, such as the sums of all records.
type Finisher interface {
	Processor
	// Finish is called once, after the last record that reaches the step, and before Close; not in a run that has failed before, but
	// a later step may still fail the run. r has no bytes and no position:
	// only Side and Count can be called. Their rows and counts join those of the records. An error ends the run.
	Finish(r *Record) error
}

// A Flusher is a Processor of an Ordered plugin that holds something back, such as the records of a session, and emits what it
// still holds at the end.
type Flusher interface {
	Processor
	// Flush is called once, after the last record that reaches the step, and before Finish and Close. What it emits goes on through
	// the later steps, before their own Flush. r has no bytes and no position: Derive, Side and Count can be called. Each record
	// that it emits needs SetOrigins. An error ends the run, and so does a record that is no JSON or too large.
	Flush(ctx context.Context, r *Record, emit func(*Record)) error
}

// A Labeller is a Processor that sets labels whose values depend on its attributes.
type Labeller interface {
	Processor
	// LabelValues is called once, after New. It returns the values that labels may have with the attributes of the step, by label: none
	// for one that is never set, and of a label that Plugin.LabelValues lists only such values. For labels that are not in it, what the Plugin says holds.
	LabelValues() map[string][]string
}

// A Func is a Processor that is a function.
type Func func(ctx context.Context, r *Record, emit func(*Record)) error

// Process implements Processor.
func (f Func) Process(ctx context.Context, r *Record, emit func(*Record)) error {
	return f(ctx, r, emit)
}

// A Map edits a record, which is then emitted.
type Map func(r *Record) error

// Process implements Processor.
func (m Map) Process(_ context.Context, r *Record, emit func(*Record)) error {
	if err := m(r); err != nil {
		return err
	}
	emit(r)
	return nil
}

// A Filter reports whether a record goes on. Records that do not are dropped.
type Filter func(r *Record) (bool, error)

// Process implements Processor.
func (f Filter) Process(_ context.Context, r *Record, emit func(*Record)) error {
	keep, err := f(r)
	if err != nil {
		return err
	}
	if keep {
		emit(r)
	}
	return nil
}

// A Pos is the place that a record was read from. Line counts from 1.
type Pos struct {
	File string
	Line int64
}

// String returns file:line.
func (p Pos) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }
