package host

import "github.com/sluicehq/sluice/host/internal/output"

// An Origin is the record that a row comes of: file and line, and which record of the line and which row of the record.
type Origin = output.Origin

// An OriginReader reads the origins of an output's rows.
type OriginReader = output.OriginReader

// OpenOrigins opens what a run has noted of where the rows of an output come from. The error is ErrNoOrigins when it has
// noted nothing.
func OpenOrigins(path string) (*OriginReader, error) { return output.OpenOrigins(path) }

// ErrNoOrigins is the error when a run has noted no origins of an output.
var ErrNoOrigins = output.ErrNoOrigins
