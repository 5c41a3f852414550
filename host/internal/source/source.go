// Package source reads the records of a run from files, straight into an arena, and keeps the account of what it read.
//
// A kind of source is one file of this package and one line in kinds. Kinds that look for records in a text, such as
// jsonl and json, are splitters: records does the reading, the memory and the limits for them. The kind text makes one
// record of each file. All of them read through inputs, which opens one file after the other, decompresses and hashes
// it, and notices when it changes under the reader.
//
// # Who runs beside whom
//
// Of records, one goroutine reads and splits (reader). Behind it each file has one that hashes what was read (summer), and
// the records of a chunk are checked by as many as there are runs of checkSize bytes (draft). What is packed is
// decompressed ahead, in one goroutine for each file that is open (pump) and, where members tell where they end, one for
// each of these (members). Next puts everything in order.
package source

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TooLarge is the code of a record that is larger than the source takes. The others are those of jsontext.
const TooLarge = "too_large"

// A Source reads records, in the order of its files and of their places in them.
type Source interface {
	// Next reads the next chunk into regions of the arena, or returns io.EOF. A chunk holds at least one record, and
	// each record one reference on its region. A record that cannot be used has a fault in the chunk. Any other error
	// ends the source. A source may read ahead into the arena of the first call until the context of that call or Close
	// ends it. No chunk waits for the memory of a later one, so an arena with a budget of one batch is enough.
	Next(context.Context, *wire.Arena) (wire.Chunk, error)
	// Files lists the names of all files there are to read, "-" for standard input.
	Files() []string
	// Inputs lists the files that were read to their end.
	Inputs() []Input
	// Progress gives the bytes of the files read so far and in all; total is 0 when it cannot be known. It may be
	// called from any goroutine, unlike the rest.
	Progress() (read, total int64)
	// Close ends the source. Nothing touches the arena when it returns, but for records that Next has given. Standard
	// input stays open: it belongs to the caller.
	Close() error
}

// kinds open the sources, by the type name that stands in a pipeline. The options were checked.
var kinds = map[string]func(Options) (Source, error){
	"auto":  openAuto,
	"json":  openJSON,
	"jsonl": openJSONL,
	"text":  openText,
}

// Docs say of each kind what it reads.
var Docs = map[string]string{
	"auto":  "reads files as jsonl or json does, told by their beginning",
	"json":  "reads one document as a record, or an array of records",
	"jsonl": "reads one record a line; empty lines are skipped",
	"text":  "reads a whole file as one record with name and text",
}

// Kinds are the type names of all sources, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Open finds the files of a source and makes sure that they can be opened.
func Open(kind string, opts Options) (Source, error) {
	open := kinds[kind]
	if open == nil {
		return nil, fmt.Errorf("want a source of type %s, have %q", strings.Join(Kinds(), ", "), kind)
	}
	if wrong := opts.Check(); len(wrong) > 0 {
		return nil, fmt.Errorf("%s: %s", wrong[0].Attr, wrong[0].Message)
	}
	return open(opts)
}

// Options say what a source reads. Defaults gives all but Paths and Stdin.
type Options struct {
	// Paths are files, patterns ("**" stands for any number of folders) and "-" for standard input, at least one.
	// A pattern's files are read in the order of their names. A file that is named twice is read once, also when
	// links or spellings give it several names. Wildcards skip hidden files. Files are decompressed when they begin
	// like gzip or zstd data; one named .gz or .zst that does not is an error, as is one that is packed otherwise.
	Paths []string
	// Limit is the largest record in bytes, from 1 to 1 GiB.
	Limit int
	// Depth is how deep arrays and objects may nest, at least 1.
	Depth int
	// Batch is about how many bytes of records move together, from 1 to 256 MiB. A larger record moves alone.
	Batch int
	// Stdin is what "-" reads; nil when there is none.
	Stdin io.Reader
}

const (
	maxLimit = 1 << 30
	maxBatch = 256 << 20
)

// Defaults are the options of a source that sets none: a limit of 64 MiB, a depth of 1000 and batches of 4 MiB.
func Defaults() Options {
	return Options{Limit: 64 << 20, Depth: 1000, Batch: 4 << 20}
}

// Wrong is what is wrong with one attribute of a source.
type Wrong struct{ Attr, Message string }

// Check tells all that is wrong with the options, without a look at any file.
func (o Options) Check() []Wrong {
	var all []Wrong
	if len(o.Paths) == 0 {
		all = append(all, Wrong{"paths", "want at least one path, have none"})
	}
	if o.Limit < 1 || o.Limit > maxLimit {
		all = append(all, Wrong{"limit", fmt.Sprintf("want a size from 1B to 1GiB, have %d bytes", o.Limit)})
	}
	if o.Depth < 1 {
		all = append(all, Wrong{"depth", fmt.Sprintf("want a depth of at least 1, have %d", o.Depth)})
	}
	if o.Batch < 1 || o.Batch > maxBatch {
		all = append(all, Wrong{"batch", fmt.Sprintf("want a size from 1B to 256MiB, have %d bytes", o.Batch)})
	}
	return all
}
