package parquet

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A form appends a value to JSON. A value that JSON does not have, such as NaN, becomes what is not JSON, so that the record
// is rejected.
type form func(dst, value []byte) []byte

// maxFixed is how long values of a fixed length may be.
const maxFixed = 1 << 20

// widthOf returns the size of a column's values in a page, 0 when each has its own. Booleans are spread to a byte each.
func widthOf(e *format.SchemaElement) (int, error) {
	switch e.Type.V {
	case format.Boolean:
		return 1, nil
	case format.Int32, format.Float:
		return 4, nil
	case format.Int64, format.Double:
		return 8, nil
	case format.Int96:
		return 12, nil
	case format.ByteArray:
		return 0, nil
	case format.FixedLenByteArray:
		if n := e.TypeLength.V; n > 0 && n <= maxFixed {
			return int(n), nil
		}
		return 0, fmt.Errorf("want values of 1 to %d bytes, have %d", maxFixed, e.TypeLength.V)
	}
	return 0, fmt.Errorf("want a type of Parquet, have %d", e.Type.V)
}

// formOf returns how the values of a column stand in JSON.
func formOf(e *format.SchemaElement, width int) form {
	kind := e.Type.V
	if f := logical(e, kind, width); f != nil {
		return f
	}
	switch kind {
	case format.Boolean:
		return appendBool
	case format.Int32:
		return appendInt32
	case format.Int64:
		return appendInt64
	case format.Int96:
		return appendInt96
	case format.Float:
		return appendFloat32
	case format.Double:
		return appendFloat64
	}
	return appendBase64
}

// logical returns the form of a type that says more than its bytes, nil for another one.
func logical(e *format.SchemaElement, kind format.Type, width int) form {
	text := kind == format.ByteArray || kind == format.FixedLenByteArray
	switch t := e.LogicalType.Value.(type) {
	case *format.StringType, *format.EnumType:
		if text {
			return appendText
		}
	case *format.JsonType:
		if text {
			return appendJSON
		}
	case *format.DecimalType:
		return decimal(kind, t.Scale)
	case *format.DateType:
		if kind == format.Int32 {
			return appendDate
		}
	case *format.TimeType:
		return timeOfDay(kind, unitOf(t.Unit))
	case *format.TimestampType:
		return timestamp(kind, unitOf(t.Unit), t.IsAdjustedToUTC)
	case *format.IntType:
		return unsigned(kind, t.IsSigned)
	case *format.UUIDType:
		if width == 16 {
			return appendUUID
		}
	case *format.Float16Type:
		if width == 2 {
			return appendFloat16
		}
	}
	if !e.ConvertedType.Valid || e.LogicalType.Value != nil {
		return nil
	}
	switch e.ConvertedType.V {
	case deprecated.UTF8, deprecated.Enum:
		if text {
			return appendText
		}
	case deprecated.Json:
		if text {
			return appendJSON
		}
	case deprecated.Decimal:
		return decimal(kind, e.Scale.V)
	case deprecated.Date:
		if kind == format.Int32 {
			return appendDate
		}
	case deprecated.TimeMillis:
		return timeOfDay(kind, time.Millisecond)
	case deprecated.TimeMicros:
		return timeOfDay(kind, time.Microsecond)
	case deprecated.TimestampMillis:
		return timestamp(kind, time.Millisecond, true)
	case deprecated.TimestampMicros:
		return timestamp(kind, time.Microsecond, true)
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return unsigned(kind, false)
	case deprecated.Interval:
		if width == 12 {
			return appendInterval
		}
	}
	return nil
}

func unitOf(u format.TimeUnit) time.Duration {
	if u.Value == nil {
		return 0
	}
	return u.Value.Duration()
}

func appendText(dst, v []byte) []byte {
	return append(jsontext.AppendEscaped(append(dst, '"'), v), '"') // bytes that are not UTF-8 stay, and the record is rejected
}

// appendJSON appends a JSON text as the value that it is, and another text as a string.
func appendJSON(dst, v []byte) []byte {
	if jsontext.Check(v, jsontext.EmbeddedDepth) != nil {
		return appendText(dst, v)
	}
	return jsontext.AppendCompact(dst, v)
}

func appendBase64(dst, v []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), v), '"')
}

func appendBool(dst, v []byte) []byte { return strconv.AppendBool(dst, v[0] != 0) }

func int32Of(v []byte) int32 { return int32(binary.LittleEndian.Uint32(v)) }
func int64Of(v []byte) int64 { return int64(binary.LittleEndian.Uint64(v)) }

func appendInt32(dst, v []byte) []byte { return strconv.AppendInt(dst, int64(int32Of(v)), 10) }
func appendInt64(dst, v []byte) []byte { return strconv.AppendInt(dst, int64Of(v), 10) }

func unsigned(kind format.Type, signed bool) form {
	switch {
	case signed:
		return nil
	case kind == format.Int32:
		return func(dst, v []byte) []byte { return strconv.AppendUint(dst, uint64(uint32(int32Of(v))), 10) }
	case kind == format.Int64:
		return func(dst, v []byte) []byte { return strconv.AppendUint(dst, uint64(int64Of(v)), 10) }
	}
	return nil
}

func appendFloat32(dst, v []byte) []byte {
	return appendFloat(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(v))), 32)
}

func appendFloat64(dst, v []byte) []byte {
	return appendFloat(dst, math.Float64frombits(binary.LittleEndian.Uint64(v)), 64)
}

func appendFloat16(dst, v []byte) []byte {
	bits := binary.LittleEndian.Uint16(v)
	sign, exponent, fraction := float64(1), int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction == 0:
		return appendFloat(dst, math.Inf(int(sign)), 32)
	case exponent == 31:
		return appendFloat(dst, math.NaN(), 32)
	case exponent == 0:
		return appendFloat(dst, sign*math.Ldexp(fraction, -24), 32)
	}
	return appendFloat(dst, sign*math.Ldexp(1024+fraction, exponent-25), 32)
}

// appendFloat appends the shortest number that reads as f. A whole one ends in .0, as Python writes it, so that it is still
// seen to be none of the integers.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, bits)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
	for _, c := range dst[from:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// decimal returns the form of decimals: numbers with all their digits.
func decimal(kind format.Type, scale int32) form {
	if scale < 0 || scale > 1000 {
		return nil
	}
	switch kind {
	case format.Int32:
		return func(dst, v []byte) []byte { return appendDecimal(dst, strconv.Itoa(int(int32Of(v))), int(scale)) }
	case format.Int64:
		return func(dst, v []byte) []byte { return appendDecimal(dst, strconv.FormatInt(int64Of(v), 10), int(scale)) }
	case format.ByteArray, format.FixedLenByteArray:
		return func(dst, v []byte) []byte { return appendDecimal(dst, bigOf(v), int(scale)) }
	}
	return nil
}

// maxDecimal is how many bytes a decimal has at most. Time grows with their square.
const maxDecimal = 1 << 10

// bigOf returns the digits of a number in two's complement, the highest byte first.
func bigOf(v []byte) string {
	if len(v) > maxDecimal {
		corrupt("want decimals of at most %d bytes, have %d", maxDecimal, len(v))
	}
	n := new(big.Int).SetBytes(v)
	if len(v) > 0 && v[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v))))
	}
	return n.String()
}

func appendDecimal(dst []byte, digits string, scale int) []byte {
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	for len(digits) <= scale {
		digits = "0" + digits
	}
	whole := len(digits) - scale
	dst = append(dst, digits[:whole]...)
	if scale > 0 {
		dst = append(append(dst, '.'), digits[whole:]...)
	}
	return dst
}

func appendDate(dst, v []byte) []byte {
	return append(appendDay(append(dst, '"'), time.Unix(int64(int32Of(v))*24*60*60, 0).UTC()), '"')
}

// appendDay appends a date as ISO 8601 writes it. Years of more than four digits have a sign, as it wants.
func appendDay(dst []byte, t time.Time) []byte {
	switch y := t.Year(); {
	case y < 0:
		return fmt.Appendf(dst, "-%06d%s", -y, t.Format("-01-02"))
	case y > 9999:
		return fmt.Appendf(dst, "+%06d%s", y, t.Format("-01-02"))
	}
	return t.AppendFormat(dst, time.DateOnly)
}

const clock = "15:04:05.999999999"

// timestamp returns the form of points in time, with Z when they are of UTC and without a zone when the file leaves it open.
func timestamp(kind format.Type, unit time.Duration, utc bool) form {
	if kind != format.Int64 || unit <= 0 {
		return nil
	}
	perSecond := int64(time.Second / unit)
	return func(dst, v []byte) []byte {
		n := int64Of(v)
		second, rest := n/perSecond, n%perSecond
		if rest < 0 {
			second, rest = second-1, rest+perSecond
		}
		return appendTime(dst, time.Unix(second, rest*int64(unit)).UTC(), utc)
	}
}

func appendTime(dst []byte, t time.Time, utc bool) []byte {
	dst = t.AppendFormat(append(appendDay(append(dst, '"'), t), 'T'), clock)
	if utc {
		dst = append(dst, 'Z')
	}
	return append(dst, '"')
}

func timeOfDay(kind format.Type, unit time.Duration) form {
	switch {
	case unit <= 0:
	case kind == format.Int32:
		return func(dst, v []byte) []byte { return appendClock(dst, int64(int32Of(v)), unit) }
	case kind == format.Int64:
		return func(dst, v []byte) []byte { return appendClock(dst, int64Of(v), unit) }
	}
	return nil
}

func appendClock(dst []byte, n int64, unit time.Duration) []byte {
	const day = int64(24 * time.Hour)
	if n < 0 || n >= day/int64(unit) {
		corrupt("want a time of day, have %d units of %v", n, unit)
	}
	return append(time.Unix(0, n*int64(unit)).UTC().AppendFormat(append(dst, '"'), clock), '"')
}

// appendInt96 appends a point in time as old writers store it: nanoseconds of a day, and the Julian number of the day.
func appendInt96(dst, v []byte) []byte {
	const epoch = 2440588
	days := int64(binary.LittleEndian.Uint32(v[8:])) - epoch
	return appendTime(dst, time.Unix(days*24*60*60, int64Of(v)).UTC(), false)
}

func appendUUID(dst, v []byte) []byte {
	dst = append(dst, '"')
	for i, part := range [][]byte{v[:4], v[4:6], v[6:8], v[8:10], v[10:]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, part)
	}
	return append(dst, '"')
}

// appendInterval appends a duration as ISO 8601 writes it.
func appendInterval(dst, v []byte) []byte {
	millis := binary.LittleEndian.Uint32(v[8:])
	return fmt.Appendf(dst, `"P%dM%dDT%d.%03dS"`, binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:]), millis/1000, millis%1000)
}
