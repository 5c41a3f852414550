package output

import (
	"maps"
	"slices"

	"github.com/sluicehq/sluice/sdk/wire"
)

// formats are the kinds of sinks, by type name: how records become the bytes of one file.
var formats = map[string]format{
	"jsonl": {check: checkJSONL, open: openJSONL, between: len("\n")},
}

// Docs describe each kind in a phrase.
var Docs = map[string]string{
	"jsonl": "writes one record a line",
}

// Kinds returns the type names of the sinks, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(formats)) }

type format struct {
	check   func(path string) error // whether a file of that name can be written
	open    func(*sinkFile) error   // sets encoder and lined of rows whose file is open
	between int                     // bytes behind each row
}

// An encoder writes records to one file.
type encoder interface {
	encode(*wire.Record) []byte // returns the row that a record becomes, valid until the next call
	write(row []byte) error
	flush() error // writes what a reader can make use of
	close() error // completes the file's bytes
	stop()        // ends its goroutines, closed or not; nothing is written after it
}
