package recognise

import (
	"strings"
	"sync"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// programs are the first words of the commands with options for a password, and of what starts others.
var programs = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{"sudo": true, "env": true, "exec": true, "timeout": true, "time": true, "nohup": true, "xargs": true}
	for _, c := range commands() {
		first, _, _ := strings.Cut(c.program, " ")
		all[first] = true
	}
	return all
})

// longestProgram is the size of the longest name of a program with its folder.
const longestProgram = 64

// IsProgram reports whether the first argument of a command may be a program whose options name a password.
func IsProgram(argument string) bool {
	return len(argument) <= longestProgram && programs()[argument[strings.LastIndexByte(argument, '/')+1:]]
}

// InArguments returns what the options of a command say of its arguments, by argument. It reads them as one line.
func (s *Scan) InArguments(arguments []string) (found map[int][]Match) {
	var line strings.Builder
	starts := make([]int, len(arguments))
	for i, a := range arguments {
		quote := ""
		if strings.ContainsAny(a, " \t\n;|\\") && !strings.Contains(a, `"`) {
			quote = `"`
		}
		if i > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(quote)
		starts[i] = line.Len()
		line.WriteString(a)
		line.WriteString(quote)
	}
	i := 0
	for _, m := range s.Find(line.String(), rules.Class(0), nil) {
		for i+1 < len(starts) && starts[i+1] <= m.Start {
			i++
		}
		m.Start, m.End = m.Start-starts[i], m.End-starts[i]
		if (m.Label != ruleCommand && m.Label != ruleCurl) || m.Start < 0 || m.End > len(arguments[i]) {
			continue
		}
		if found == nil {
			found = map[int][]Match{}
		}
		found[i] = append(found[i], m)
	}
	return found
}
