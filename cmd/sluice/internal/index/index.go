// Package index finds rows. It reads files of JSON Lines once, notes where each row lies and the values that people filter
// and sort by, and answers questions while it still reads.
package index

import (
	"context"
	"errors"

	"github.com/sluicehq/sluice/host"
)

// A File is one to be indexed: JSON Lines, plain, gzip or zstd. Blank lines are no rows.
type File struct {
	Name   string // how it is shown and addressed, such as canonical/train.jsonl; no two have the same
	Path   string // where it lies
	SHA256 string // of its bytes, in hex, as a receipt says; "" when nobody has said
	Input  string // of a file that a run has read: how origins call it. Its rows are their own origins.
}

// Options say how files are indexed.
type Options struct {
	Cache    string // folder of what is used again; "" for the user's cache folder. A folder that cannot be had is done without.
	Unpacked int64  // how many bytes a packed file may have unpacked, on disk while it is open; 0 for 16 GiB
	Workers  int    // how many goroutines read rows; 0 for as many as there are cores
}

// An Index knows the rows of some files. Its methods may be called by many goroutines, and at once.
type Index struct{}

// Errors of a row or file.
var (
	ErrChanged = errors.New("want the file as it was indexed, have other bytes")
	ErrTooLong = errors.New("want a row of at most 1 GiB, have a longer one")
	ErrUnknown = errors.New("want a row of the index, have none")
)

// Open begins to index files and returns at once. What is wrong with one of them is in its State. The context ends all
// that the index does.
func Open(ctx context.Context, files []File, o Options) (*Index, error) { return &Index{}, nil }

// Close ends what still goes on and removes unpacked copies.
func (x *Index) Close() error { return nil }

// Wait waits until all files are indexed, or the context ends.
func (x *Index) Wait(ctx context.Context) error { return nil }

// Renew indexes files anew that have changed since. Their rows may get other IDs; addresses by line stay.
func (x *Index) Renew() {}

// A State is how far a file is indexed.
type State struct {
	File
	Rows     int64  // so far
	Bad      int64  // of them are no JSON
	Read, Of int64  // bytes: of the file as it lies, packed or not
	Done     bool   // everything that can be had is indexed
	Cached   bool   // from the cache
	Origins  bool   // it is known which records its rows come of
	Err      error  // what ended the indexing before the end of the file; the rows before it are there
	Changed  string // "" or how the file has changed since: "grown", "changed", "missing"
}

// States are those of the files, in the order of Open.
func (x *Index) States() []State { return nil }

// An ID is a row of an Index, for as long as that is open and not renewed. Links use file and line instead.
type ID struct {
	File uint32 // of those that were opened
	Row  uint32 // of the file, from 0
}

// A Row is what the index knows of a row.
type Row struct {
	ID
	Name         string       // of the file
	Line         int64        // in the file, from 1
	Offset, Size int64        // bytes, in the file as it is unpacked; without the end of the line
	Turns, Calls int64        // messages with the response, and calls in them
	JSON         bool         // it is a JSON value
	Origin       *host.Origin // nil when it is not known
	words        [][]string
}

// Words are the values of a column of words, mostly one or none.
func (r *Row) Words(column string) []string { return nil }

// Row gives what is known of a row.
func (x *Index) Row(id ID) (Row, error) { return Row{}, ErrUnknown }

// At gives the row on a line of a file.
func (x *Index) At(name string, line int64) (ID, bool) { return ID{}, false }

// Read reads the bytes of a row: ErrChanged when they are no longer those that were indexed.
func (x *Index) Read(ctx context.Context, id ID) ([]byte, error) { return nil, ErrUnknown }

// ByOrigin gives all rows that come of the records on a line of an input file: of outputs, rejects, findings. They are
// ordered by file and row.
func (x *Index) ByOrigin(file string, line int64) []ID { return nil }
