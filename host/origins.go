package host

import "github.com/sluicehq/sluice/host/internal/output"

// Origin says which record a row comes from: file and line, record of the line, and row of the record.
type Origin = output.Origin

// OriginReader reads the origins of an output's rows.
type OriginReader = output.OriginReader

// OpenOrigins opens the origins of an output's rows. The error is ErrNoOrigins when no run has noted them.
func OpenOrigins(path string) (*OriginReader, error) { return output.OpenOrigins(path) }

// ErrNoOrigins is the error for an output whose origins no run has noted.
var ErrNoOrigins = output.ErrNoOrigins
