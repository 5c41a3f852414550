//go:build !unix

package privatefolder

import "io/fs"

// isPrivate reports true: a mode says nothing here of who may write, and settings and caches lie in the user's profile, where others cannot.
func isPrivate(fs.FileInfo) bool { return true }
