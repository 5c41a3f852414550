package sdk

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/wire"
)

// Reject returns the error for a record that cannot be accepted: it goes to the dead letter with code, message and path.
// code is snake_case; path is a gjson path, or empty when the whole record is meant. The message must not hold
// values that may be personal.
func Reject(code, path, format string, args ...any) error {
	return &verdict{kind: wire.Rejected, code: own(code), path: own(path), message: own(fmt.Sprintf(format, args...))}
}

// Drop returns the error for a record that is left out on purpose. Drops are counted by reason, so use few different reasons.
func Drop(reason string) error {
	return &verdict{kind: wire.Dropped, message: own(reason), keeps: true}
}

// Decline returns the error for a record of another step: inside a first block the next step gets it, elsewhere it is
// rejected with code "declined".
func Decline(reason string) error { return &verdict{kind: wire.Declined, message: own(reason)} }

// Keep returns an error that rejects or declines a record as err does, and keeps its side rows and counts. Without Keep they
// are discarded, since the record goes on elsewhere or not at all. Keep(nil) is nil.
func Keep(err error) error {
	if err == nil {
		return nil
	}
	return &keptError{err}
}

type keptError struct{ err error }

func (e *keptError) Error() string { return e.err.Error() }
func (e *keptError) Unwrap() error { return e.err }

// Fatal returns an error that ends the run, for a failure that every other record would meet too.
func Fatal(format string, args ...any) error {
	return &fatalError{own(fmt.Sprintf(format, args...))}
}

type fatalError struct{ message string }

func (e *fatalError) Error() string { return e.message }

// A verdict is what a processor decided about a record that does not go on.
type verdict struct {
	kind                wire.Verdict
	code, path, message string
	keeps               bool // keeps side rows and counts
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

// verdictOf returns the verdict in a processor's error. It may serve many records, so it must not be changed.
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

// own copies a text that a plugin hands over, since it may be a view of memory that is reused, and makes it valid UTF-8.
func own(s string) string {
	if !utf8.ValidString(s) {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.Clone(s)
}
