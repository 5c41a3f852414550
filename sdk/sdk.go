// Package sdk is what a plugin author needs: a [Plugin] value, and [Main] to serve it.
//
// Most plugins are a [Map] or a [Filter] over [Record.Get] and [Record.Set]:
//
//	func main() {
//		sdk.Main(sdk.Plugin{
//			Name: "hello",
//			Doc:  "adds a greeting",
//			New: func(sdk.Args) (sdk.Processor, error) {
//				return sdk.Map(func(r *sdk.Record) error { return r.Set("greeting", "hello") }), nil
//			},
//		})
//	}
//
// Package sdktest runs the same value against cases, without a process.
package sdk

import (
	"context"
	"errors"
	"fmt"
)

// A Plugin provides one kind of step. It is a value: tests run it without a process.
type Plugin struct {
	Name    string                        // required; the label in HCL, the directory, and what error messages say
	Doc     string                        // required; one sentence
	New     func(Args) (Processor, error) // required; called once for each worker of a step
	Ordered bool                          // one worker, records in order: for state across records
	Private bool                          // rejects show the record only as Record.Conceal has it, even after a crash
}

// A Processor is the running instance of a plugin inside one step. One goroutine calls it.
// If it is an io.Closer too, Close is called after the last record.
type Processor interface {
	// Process handles one record. What it emits goes on in the order of the calls; nil and nothing emitted is a
	// drop. If it returns an error, nothing of what it emitted goes on: see Reject, Drop and Decline; any other
	// error rejects the record with code "error". r and every view into it are valid until Process returns.
	Process(ctx context.Context, r *Record, emit func(*Record)) error
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

// A Filter decides whether a record goes on. What it leaves out is a drop.
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

// A Pos is where a record came from. Line counts from 1.
type Pos struct {
	File string
	Line int64
}

// String gives file:line.
func (p Pos) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Reject says that the record could not be accepted: it goes to the dead letter with code, message and path.
// code is snake_case; path is a gjson path, or empty when the whole record is meant. The message must not hold
// values that may be personal.
func Reject(code, path, format string, args ...any) error {
	return &verdict{kind: rejected, code: code, path: path, message: fmt.Sprintf(format, args...)}
}

// Drop leaves a record out on purpose. Drops are counted by reason, so the reason must be one of a few.
func Drop(reason string) error { return &verdict{kind: dropped, message: reason} }

// Decline says "not mine": inside a first block the next step gets the record, elsewhere it is a reject with
// code "declined".
func Decline(reason string) error { return &verdict{kind: declined, message: reason} }

type verdictKind uint8

const (
	rejected verdictKind = iota
	dropped
	declined
)

type verdict struct {
	kind                verdictKind
	code, path, message string
}

// Error implements error.
func (v *verdict) Error() string {
	switch {
	case v.kind == dropped:
		return "drop: " + v.message
	case v.kind == declined:
		return "decline: " + v.message
	case v.path != "":
		return v.code + " at " + v.path + ": " + v.message
	}
	return v.code + ": " + v.message
}

// verdictOf makes any error of a processor into a verdict.
func verdictOf(err error) *verdict {
	if v, ok := errors.AsType[*verdict](err); ok {
		return v
	}
	return &verdict{kind: rejected, code: "error", message: err.Error()}
}
