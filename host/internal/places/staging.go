package places

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CheckKey returns why a name cannot be that of an object which is written.
func CheckKey(name string) error {
	bucket, key := Split(name)
	switch {
	case strings.Trim(bucket, ".") == "" || strings.ContainsAny(bucket, "{}"):
		return fmt.Errorf("want a bucket, have %q", name)
	case key == "" || strings.HasSuffix(key, "/"):
		return fmt.Errorf("want a file to write, have %q", name)
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "\\\x00") {
			return fmt.Errorf("want a key whose parts could be names of files, have %q", name)
		}
	}
	return nil
}

// Staging returns the folder of this machine in which objects lie until they are uploaded: SLUICE_STAGE, or a folder of the user's state.
func Staging() (string, error) {
	if dir := os.Getenv("SLUICE_STAGE"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "sluice", "s3"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("want a folder in SLUICE_STAGE, where outputs lie until they are uploaded: %w", err)
	}
	return filepath.Join(home, ".local", "state", "sluice", "s3"), nil
}

// Endpoint returns a name for the service that s3:// leads to, which can be that of a folder: its host.
func Endpoint() (string, error) {
	u, err := endpointURL(current().endpoint)
	if err != nil {
		return "", err
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:@?*"<>|`, r) {
			return '_'
		}
		return r
	}, u.Host), nil
}
