package redact

import (
	"slices"
	"strings"
)

// manifests returns the offsets of the objects in a JSON text that hold the values of Kubernetes secrets: of data and stringData, before
// or behind the kind, with strings alone.
func manifests(doc string) (found []int) {
	if !strings.Contains(doc, `"Secret"`) {
		return nil
	}
	type object struct {
		start    int
		key      string // of the current member
		isSecret bool
		data     []int
		nested   bool // it holds an object or array
	}
	var open []object
	for kind, start, end, next := Token(doc, 0); kind != 0; kind, start, end, next = Token(doc, next) {
		var top *object
		if len(open) > 0 {
			top = &open[len(open)-1]
		}
		switch kind {
		case '{', '[':
			if top != nil {
				top.nested = true
			}
			if kind == '{' && top != nil && (top.key == "data" || top.key == "stringData") {
				top.data = append(top.data, start)
			}
			open = append(open, object{start: start})
		case '}', ']':
			if top.isSecret {
				found = append(found, top.data...)
			}
			open = open[:len(open)-1]
			if n := len(open); n > 0 && top.nested && len(open[n-1].data) > 0 {
				if data := &open[n-1].data; (*data)[len(*data)-1] == top.start {
					*data = (*data)[:len(*data)-1]
				}
			}
		case KeyKind:
			top.key = doc[start:end]
		case StringKind:
			if top != nil && isManifestKind(top.key, doc[start:end]) {
				top.isSecret = true
			}
		}
	}
	slices.Sort(found)
	return found
}

// isManifestKind reports whether a member makes its object a Kubernetes secret.
func isManifestKind(key, value string) bool { return key == "kind" && value == "Secret" }
