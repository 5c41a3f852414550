package recognise

import (
	"regexp"
	"sync"
)

// compiled returns a regular expression that is compiled when it is first used: every process has this package, few
// need what it looks for.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
