package sdk

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// maxDepth is how deep a value may nest that a plugin puts into a record.
const maxDepth = 10_000

// appendValue appends a Go value as JSON.
func appendValue(dst []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return jsontext.AppendString(dst, v), nil
	case gjson.Result:
		return appendResult(dst, v)
	}
	switch v := reflect.ValueOf(value); {
	case v.Kind() == reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case v.CanInt():
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case v.CanUint() && v.Kind() != reflect.Uintptr:
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	case v.CanFloat():
		return appendFloat(dst, v.Float(), v.Type().Bits())
	}
	return dst, fmt.Errorf("want a string, boolean, number, nil or gjson.Result, have %T: use SetRaw", value)
}

func appendFloat(dst []byte, v float64, bits int) ([]byte, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return dst, fmt.Errorf("want a number that JSON has, have %v", v)
	}
	if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(dst, v, 'e', -1, bits), nil
	}
	return strconv.AppendFloat(dst, v, 'f', -1, bits), nil
}

func appendResult(dst []byte, v gjson.Result) ([]byte, error) {
	switch {
	case !v.Exists():
		return dst, fmt.Errorf("want a value, have the result of a path that does not exist")
	case v.Raw == "": // such as a count
		return appendValue(dst, v.Value())
	case jsontext.Check(v.Raw, maxDepth) != nil:
		return dst, fmt.Errorf("want a value, have %d bytes that are not JSON", len(v.Raw))
	}
	return append(dst, v.Raw...), nil
}
