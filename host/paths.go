package host

import "github.com/sluicehq/sluice/host/internal/oserr"

// AtPath returns an error of package os about a path that somebody named in the words that the host has for it, and others as they are. So a
// path with nothing at it reads the same from every command.
func AtPath(err error) error { return oserr.AtPath(err) }
