package notation

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression that is compiled when it is first needed, since most runs need few of those of a plugin.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
