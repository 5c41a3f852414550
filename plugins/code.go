package plugins

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// code.txt has a line for each package of this module that a built-in plugin is made of: its folder, the SHA-256 of its code and of
// the files that it embeds, and what it imports of this module and of others, those with their versions. Comments, the layout of
// the code and tests are not part of it. A line "plugin NAME" names the packages that a plugin begins with. TestCode holds that it is
// true, since neither the Go tool nor a program knows the code of a package once it is built.
//
//go:generate go test . -run ^TestCode$$ -update
//go:embed code.txt
var codeText string

// Code returns two SHA-256 in hex of the code and data that a built-in plugin is made of, with all that its packages import: of what
// is its own, and of the SDK below. They are "" for a plugin that is not built in. Go's own library is not part of them.
func Code(plugin string) (own, sdk string) {
	c := code()
	roots, ok := c.plugins[plugin]
	if !ok {
		return "", ""
	}
	needs := map[string]bool{}
	for _, root := range roots {
		c.add(needs, root)
	}
	var ownLines, sdkLines []string
	for folder := range needs {
		line := strings.Join(c.packages[folder], " ")
		if folder == "sdk" || strings.HasPrefix(folder, "sdk/") {
			sdkLines = append(sdkLines, line)
		} else {
			ownLines = append(ownLines, line)
		}
	}
	return hashLines(ownLines), hashLines(sdkLines)
}

type codeTable struct {
	plugins  map[string][]string // folders of packages
	packages map[string][]string // the words of a package's line
}

var code = sync.OnceValue(func() codeTable {
	c := codeTable{map[string][]string{}, map[string][]string{}}
	for line := range strings.Lines(codeText) {
		switch words := strings.Fields(line); {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "plugin":
			c.plugins[words[1]] = words[2:]
		default:
			c.packages[words[0]] = words
		}
	}
	return c
})

// add adds a package of this module, and all that it imports.
func (c codeTable) add(needs map[string]bool, folder string) {
	words, ok := c.packages[folder]
	if !ok || needs[folder] {
		return // another module's
	}
	needs[folder] = true
	for _, imported := range words[2:] {
		c.add(needs, imported)
	}
}

func hashLines(lines []string) string {
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range lines {
		fmt.Fprintln(h, line)
	}
	return hex.EncodeToString(h.Sum(nil))
}
