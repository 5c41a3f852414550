package flow

import (
	"bytes"
	"slices"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// compare tells how two results differ, each difference once.
func compare(a, b result) []Difference {
	if a.verdict != b.verdict {
		return []Difference{{Current: a.verdict, Candidate: b.verdict}}
	}
	var found []Difference
	for i := range a.records {
		if !bytes.Equal(a.records[i], b.records[i]) {
			found = diff(found, "", view(a.records[i]), view(b.records[i]))
		}
	}
	slices.SortFunc(found, func(a, b Difference) int {
		return slices.Compare([]string{a.Path, a.Current, a.Candidate}, []string{b.Path, b.Current, b.Candidate})
	})
	return slices.Compact(found)
}

func view(data []byte) gjson.Result {
	return gjson.Parse(unsafe.String(unsafe.SliceData(data), len(data)))
}

// diff adds the differences between two values, of which only the types are told. The order of keys is none.
func diff(found []Difference, path string, a, b gjson.Result) []Difference {
	if a.Raw == b.Raw {
		return found
	}
	switch {
	case a.IsObject() && b.IsObject():
		left, right := a.Map(), b.Map()
		for key, x := range left {
			if y, ok := right[key]; ok {
				found = diff(found, under(path, key), x, y)
			} else {
				found = append(found, Difference{under(path, key), typeOf(x), "nothing"})
			}
		}
		for key, y := range right {
			if _, ok := left[key]; !ok {
				found = append(found, Difference{under(path, key), "nothing", typeOf(y)})
			}
		}
	case a.IsArray() && b.IsArray():
		left, right := a.Array(), b.Array()
		for i := range max(len(left), len(right)) {
			switch {
			case i >= len(left):
				found = append(found, Difference{under(path, "#"), "nothing", typeOf(right[i])})
			case i >= len(right):
				found = append(found, Difference{under(path, "#"), typeOf(left[i]), "nothing"})
			default:
				found = diff(found, under(path, "#"), left[i], right[i])
			}
		}
	case typeOf(a) != typeOf(b):
		found = append(found, Difference{path, typeOf(a), typeOf(b)})
	case a.Type == gjson.String && a.Str != b.Str:
		found = append(found, Difference{path, "a string", "another string"})
	case a.Type == gjson.Number && a.Num != b.Num:
		found = append(found, Difference{path, "a number", "another number"})
	}
	return found
}

// under joins a path and a key. Keys that are not plain names may be data, and stand as *.
func under(path, key string) string {
	const name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-#"
	if key == "" || len(key) > 40 || strings.Trim(key, name) != "" {
		key = "*"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func typeOf(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "an array"
	case v.Type == gjson.String:
		return "a string"
	case v.Type == gjson.Number:
		return "a number"
	case v.Type == gjson.Null:
		return "null"
	}
	return v.Raw // true or false
}
