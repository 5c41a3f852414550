//go:build !linux

package scheduling

// AsBatch does nothing: other systems have no such policy.
func AsBatch() {}
