package sdk

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/wire"
)

// Reject says that the record could not be accepted: it goes to the dead letter with code, message and path.
// code is snake_case; path is a gjson path, or empty when the whole record is meant. The message must not hold
// values that may be personal.
func Reject(code, path, format string, args ...any) error {
	return &verdict{kind: wire.Rejected, code: own(code), path: own(path), message: own(fmt.Sprintf(format, args...))}
}

// Drop leaves a record out on purpose. Drops are counted by reason, so the reason must be one of a few.
func Drop(reason string) error {
	return &verdict{kind: wire.Dropped, message: own(reason), keeps: true}
}

// Decline says "not mine": inside a first block the next step gets the record, elsewhere it is a reject with
// code "declined".
func Decline(reason string) error { return &verdict{kind: wire.Declined, message: own(reason)} }

// Keep lets the side rows and counts of a record stand although err rejects or declines it. Without it they are thrown
// away, since the record goes on elsewhere or not at all. Keep(nil) is nil.
func Keep(err error) error {
	if err == nil {
		return nil
	}
	return &keptError{err}
}

type keptError struct{ err error }

func (e *keptError) Error() string { return e.err.Error() }
func (e *keptError) Unwrap() error { return e.err }

// Fatal ends the run with the message: for what no other record would fare better with.
func Fatal(format string, args ...any) error {
	return &fatalError{own(fmt.Sprintf(format, args...))}
}

type fatalError struct{ message string }

func (e *fatalError) Error() string { return e.message }

// A verdict is what a processor decided about a record that does not go on.
type verdict struct {
	kind                wire.Verdict
	code, path, message string
	keeps               bool // side rows and counts stand
}

// Error implements error.
func (v *verdict) Error() string {
	switch {
	case v.kind == wire.Dropped:
		return "drop: " + v.message
	case v.kind == wire.Declined:
		return "decline: " + v.message
	case v.path != "":
		return v.code + " at " + v.path + ": " + v.message
	}
	return v.code + ": " + v.message
}

// verdictOf makes any error of a processor into a verdict, which holds no memory of the record. It may be the processor's
// own, which may be that of many records.
func verdictOf(err error) *verdict {
	if v, plain := err.(*verdict); plain {
		return v
	}
	v := verdict{kind: wire.Rejected, code: wire.PlainError}
	if given, ok := errors.AsType[*verdict](err); ok {
		v = *given
	} else {
		v.message = own(err.Error())
	}
	_, kept := errors.AsType[*keptError](err)
	v.keeps = v.keeps || kept
	return &v
}

// own copies a text that a plugin hands over, which may be a view of memory that is used again, and makes it fit to be
// sent: valid UTF-8.
func own(s string) string {
	if !utf8.ValidString(s) {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.Clone(s)
}
