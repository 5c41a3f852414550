package receipt

import "strings"

// IsUnread reports whether a row of a dead letter with this step and plugin is of a source that could not read its record. The record is a
// text in it then, while any other row has it as JSON.
func IsUnread(step, plugin string) bool {
	return plugin == "" && !strings.HasPrefix(step, "first.") && !strings.HasPrefix(step, "route.")
}
