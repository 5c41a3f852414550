package registry

import (
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/source"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// SourceFaults lists the codes with which a source rejects what is no record.
var SourceFaults = []string{jsontext.InvalidJSON, jsontext.InvalidUTF8, jsontext.TooDeep, source.InvalidCSV, source.NotReject, source.ScatteredSession, source.TooLarge}

// Codes explains the codes of rejects that no plugin declares.
var Codes = map[string]string{
	jsontext.InvalidJSON:    "the record is not JSON; the message says from which byte on; correct the file where it was made",
	jsontext.InvalidUTF8:    "the record is JSON in another encoding than UTF-8, or is cut inside a character; convert the file, as by iconv",
	jsontext.TooDeep:        "the record nests deeper than depth of its source; raise it if such records are meant",
	source.InvalidCSV:       "the row has more or fewer fields than the header names, its quotes do not match, or CR alone ends lines; write it anew with a CSV library",
	source.NotReject:        "the line is no row of a dead letter, which the source rejects reads; read other files with a source of another type",
	source.ScatteredSession: "lines of a session came after it was passed on, because the sessions between them were too large to keep; raise limit, or sort the file by session",
	source.TooLarge:         "the record, or what a step made of it, is larger than limit of its source allows; raise it if such records are meant",
	flow.CrashCode:          "the plugin's process ended over this record, or broke the protocol; the message says how, and its author can repeat it with the record",
	flow.DeclinedCode:       "no step of the first block took the record; sluice explain shows why each declined; add a step that reads its shape, or correct the record",
	flow.NoRouteCode:        "the value that a route is on is none of its cases; add a case, or a default",
	output.NoLabel:          "the sink's path names a label that the record does not have; set it in a step before, or leave it out of the path",
	output.BadLabel:         "the value of a label cannot be part of a path; the message says why",
	output.TooManyFiles:     "the labels of a sink's path lead to more files than one sink may have; leave out the label that takes so many values",
	output.BadRow:           "the record is no row of Parquet: no object, an object with one name twice or a name that is not UTF-8, or a value that is not of the type that columns gives; the message says which",
	wire.InvalidOutput:      "the plugin answered with something that is not JSON; report it to its author",
	wire.PlainError:         "the plugin failed with an error that has no code of its own; the message is its words",
}
