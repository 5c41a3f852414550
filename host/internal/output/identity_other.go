//go:build !unix

package output

import "io/fs"

// An identity is the same for all files here: the system's own comparison tells them apart, one by one.
type identity struct{}

func identify(fs.FileInfo) identity { return identity{} }
