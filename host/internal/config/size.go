package config

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	sizeForm  = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)$`)
	sizeUnits = map[string]float64{
		"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
	}
)

// ParseSize reads a size such as "512MiB", "1.5 GB" or "4096" in bytes. Units are B, kB or KB, MB, GB, TB, KiB, MiB,
// GiB and TiB.
func ParseSize(s string) (int64, error) {
	m := sizeForm.FindStringSubmatch(s)
	if m == nil || sizeUnits[m[2]] == 0 {
		return 0, fmt.Errorf("want a size such as \"512MiB\", have %q", s)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	n *= sizeUnits[m[2]]
	if err != nil || n != math.Trunc(n) || n >= math.MaxInt64 {
		return 0, fmt.Errorf("want a size in whole bytes that fits 64 bits, have %q", s)
	}
	return int64(n), nil
}

// nearestSize returns the size that was probably meant: a unit in the wrong case, or without its B.
func nearestSize(s string) string {
	if m := sizeForm.FindStringSubmatch(s); m != nil && sizeUnits[m[2]] == 0 {
		for _, u := range slices.Sorted(maps.Keys(sizeUnits)) {
			if strings.EqualFold(u, m[2]) || strings.EqualFold(u, m[2]+"iB") {
				return m[1] + u
			}
		}
	}
	return ""
}
