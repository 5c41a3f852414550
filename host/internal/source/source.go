// Package source reads the records of a run from files, straight into an arena, and counts what it read.
//
// A kind of source is one file of this package and one line in kinds. It is a splitter, which finds the records in a text
// that comes piece by piece; Source does the reading, the memory and the limits. Where records are not JSON yet, the
// splitter is a converter too. All kinds read through inputs, which opens one file after the other, decompresses and hashes
// it, and notices when it changes under the reader.
//
// # Goroutines
//
// One goroutine reads and splits (reader). Behind it one goroutine for each file hashes what was read (summer), and the
// records of a chunk are checked in runs of checkSize bytes, one goroutine for each run (draft). Compressed files are
// decompressed ahead, in one goroutine for each open file (pump) and, where it is known where their members end, one for each
// member (members). Next puts everything in order.
package source

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// TooLarge is the code of a record that is larger than the source takes. The other codes are those of jsontext.
const TooLarge = "too_large"

// A kind is a kind of source.
type kind struct {
	doc   string
	split func(entry, Options) (splitter, error) // returns the splitter of one file
	// args returns the attributes of a source with their defaults, as a pointer to a struct that embeds the common ones;
	// nil when it takes the common ones alone.
	args func() (all any, common *Args)
	// prepare applies the attributes of a source, as args returned them, to its inputs; nil when they are for split alone.
	prepare func(in *inputs, own any)
	// ending is how tests name files of this kind. Source auto reads files with an ending among certain as this kind,
	// whatever they hold.
	ending  string
	certain []string
	tables  tables // whether it reads Parquet
	// join writes JSON values as a text of this kind; nil when it does not hold JSON.
	join func(rows []string) string
}

// kinds are the kinds of sources, by the type name in a pipeline.
var kinds map[string]kind

func init() { // auto looks the others up
	kinds = map[string]kind{
		"auto":     autoKind,
		"csv":      csvKind,
		"json":     jsonKind,
		"jsonl":    jsonlKind,
		"parquet":  parquetKind,
		"rejects":  rejectsKind,
		"sessions": sessionsKind,
		"text":     textKind,
	}
}

// Kinds returns the type names of all sources, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Doc returns what a kind of source reads, as a phrase.
func Doc(kind string) string { return kinds[kind].doc }

// Ending returns how the name of a file of some kind ends, such as ".jsonl". An unknown kind is taken for jsonl.
func Ending(kind string) string { return known(kind).ending }

// Join writes JSON values, each on one line, as a text of some kind. It reports false when that kind does not hold JSON.
// An unknown kind is taken for jsonl.
func Join(kind string, rows []string) (text string, ok bool) {
	join := known(kind).join
	if join == nil {
		return "", false
	}
	return join(rows), true
}

func known(name string) kind {
	if k, ok := kinds[name]; ok {
		return k
	}
	return jsonlKind
}

// Open finds the files of a source and makes sure that they can be opened.
func Open(kind string, opts Options) (*Source, error) {
	k, ok := kinds[kind]
	if !ok {
		return nil, fmt.Errorf("want a source of type %s, have %q", strings.Join(Kinds(), ", "), kind)
	}
	if wrong := opts.Check(); len(wrong) > 0 {
		return nil, fmt.Errorf("%s: %s", wrong[0].Attr, wrong[0].Message)
	}
	in, err := openInputs(opts, k)
	if err != nil {
		return nil, err
	}
	if k.prepare != nil && opts.Own != nil {
		k.prepare(in, opts.Own)
	}
	return &Source{inputs: in, opts: opts, splitter: k.split}, nil
}

// Args are the attributes that every source takes.
type Args struct {
	Paths    []string `hcl:"paths" doc:"files, globs (** for any folders), objects (s3://bucket/key) or globs of them, https:// URLs, or - for standard input; a file that several of them name is read once" example:"[\"corpus/*.jsonl\"]"`
	Limit    string   `hcl:"limit,optional" doc:"the largest record"`
	Depth    int      `hcl:"depth,optional" doc:"how deep a record may nest"`
	Batch    string   `hcl:"batch,optional" doc:"about how much moves together, in bytes or as in 64 records"`
	Optional bool     `hcl:"optional,optional" doc:"there may be no paths, and a pattern may match nothing"`
}

func defaultArgs() Args {
	mebibytes := func(n int) string { return fmt.Sprintf("%dMiB", n>>20) }
	d := Defaults()
	return Args{Limit: mebibytes(d.Limit), Depth: d.Depth, Batch: mebibytes(d.Batch)}
}

// NewArgs returns the attributes of a kind of source with their defaults: a pointer to a struct with all of them, and to
// the common ones in it.
func NewArgs(kind string) (all any, common *Args) {
	if args := kinds[kind].args; args != nil {
		return args()
	}
	common = new(defaultArgs())
	return common, common
}

// Options configure a source. Defaults sets all but Paths, Stdin and Own.
type Options struct {
	// Paths are files, patterns ("**" matches any number of folders) and "-" for standard input, at least one, and each
	// with a file to read, unless the source is optional.
	// A pattern's files are read in the order of their names. A file that is named twice is read once, also when
	// links or spellings give it several names. Wildcards skip hidden files. Files are decompressed when they begin
	// like gzip or zstd data; one named .gz or .zst that does not is an error, as is one in another compressed format.
	Paths []string
	// Optional lets Paths be empty and patterns match nothing. A file that is named must exist all the same.
	Optional bool
	// Limit is the largest record in bytes, from 1 to 1 GiB.
	Limit int
	// Depth is how deep arrays and objects may nest, at least 1.
	Depth int
	// Batch is about how many bytes of records move together, from 1 to 256 MiB. A larger record moves alone.
	Batch int
	// Stdin is what "-" reads; nil when there is none.
	Stdin io.Reader
	// Hash is the algorithm of the hashes of the files; "": the default of filehash.
	Hash string
	// Cut is the part of the inputs that is read; nil: all of them.
	Cut *Cut
	// Own are the attributes from NewArgs of a kind that has some of its own; nil: their defaults.
	Own any
}

// A checker is the attributes of a kind of source that can be wrong.
type checker interface{ check() []Mistake }

const (
	maxLimit = 1 << 30
	maxBatch = 256 << 20
)

// Defaults returns the options of a source that sets none: a limit of 64 MiB, a depth of 1000 and batches of 4 MiB.
func Defaults() Options {
	return Options{Limit: 64 << 20, Depth: 1000, Batch: 4 << 20}
}

// Mistake is a mistake in one attribute of a source.
type Mistake struct{ Attr, Message string }

// Check returns all mistakes in the options, without a look at any file.
func (o Options) Check() []Mistake {
	var all []Mistake
	if len(o.Paths) == 0 && !o.Optional {
		all = append(all, Mistake{"paths", "want at least one path, have 0"})
	}
	if o.Limit < 1 || o.Limit > maxLimit {
		all = append(all, Mistake{"limit", fmt.Sprintf("want a size from 1B to 1GiB, have %d bytes", o.Limit)})
	}
	if o.Depth < 1 {
		all = append(all, Mistake{"depth", fmt.Sprintf("want a depth of at least 1, have %d", o.Depth)})
	}
	if o.Batch < 1 || o.Batch > maxBatch {
		all = append(all, Mistake{"batch", fmt.Sprintf("want a size from 1B to 256MiB, have %d bytes", o.Batch)})
	}
	if own, ok := o.Own.(checker); ok {
		all = append(all, own.check()...)
	}
	return all
}

// ChunkOf copies one record into the arena and returns it as a chunk, with a position in some file.
func ChunkOf(ctx context.Context, arena *wire.Arena, file string, line int64, data []byte) (wire.Chunk, error) {
	region, err := arena.Alloc(ctx, max(len(data), 1))
	if err != nil {
		return wire.Chunk{}, err
	}
	n := copy(region.Bytes(), data)
	var chunk wire.Chunk
	var fault *wire.Fault
	if bad := jsontext.Check(data, Defaults().Depth); bad != nil {
		fault = &wire.Fault{Code: bad.Code, Message: bad.Message}
	}
	chunk.Add(wire.Record{Data: region.Bytes()[:n:n], Mem: region, File: file, Line: line}, fault)
	return chunk, nil
}
