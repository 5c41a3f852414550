package redact

import "strings"

// repeats reports whether a record holds copies of secrets that were found in values, and whether that is certain: the words of
// a short secret, or of one of many, are not looked for.
func repeats(doc string, values, secrets []string) (repeated, certain bool) {
	probes := map[string]bool{}
	for _, secret := range secrets {
		probe := longestWord(secret)
		if probes[probe] = true; len(probe) < leastProbe || len(probes) > mostProbes {
			return false, false
		}
	}
	if len(probes) > 0 && escapesLetters(doc) {
		return true, true
	}
	for probe := range probes {
		known := 0
		for _, value := range values {
			known += strings.Count(value, probe)
		}
		if strings.Count(doc, probe) != known {
			return true, true
		}
	}
	return false, true
}

const (
	leastProbe = 4 // letters and digits
	mostProbes = 8 // each is looked for by itself
)

// longestWord returns the first run of 32 letters and digits in a secret, or the longest shorter one. JSON writes it as it is.
func longestWord(secret string) (longest string) {
	for i := 0; i < len(secret) && len(longest) < 32; i++ {
		start := i
		for i < len(secret) && i-start < 32 && (isDigit(secret[i]) || (secret[i]|0x20)-'a' < 26) {
			i++
		}
		if i-start > len(longest) {
			longest = secret[start:i]
		}
	}
	return longest
}

// escapesLetters reports whether a JSON text may hold escapes of letters or digits, which no program needs to write.
func escapesLetters(doc string) bool {
	for {
		_, rest, ok := strings.Cut(doc, `\u00`)
		if !ok {
			return false
		}
		if len(rest) > 1 && rest[0] >= '3' && rest[0] <= '7' && !(rest[0] == '3' && rest[1] > '9') {
			return true
		}
		doc = rest
	}
}
