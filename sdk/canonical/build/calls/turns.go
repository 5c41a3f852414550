package calls

import (
	"fmt"
	"slices"
	"strings"
)

// A Turn is what an assistant says in one go, with the results that its text shows behind it.
type Turn struct {
	Reading
	Results []Result
}

// resultMarks are the marks around a result in an assistant's text. Own ones have no other meaning; the others count only directly
// behind a call, an action or another result.
var resultMarks = []struct {
	open, end string
	own       bool
}{
	{"<tool_response>", "</tool_response>", true}, {"<tool_result>", "</tool_result>", true},
	{"<function_response>", "</function_response>", true}, {"<function_result>", "</function_result>", true},
	{"<function_results>", "</function_results>", true}, {"<|begin_search_result|>", "<|end_search_result|>", true},
	{"<information>", "</information>", false}, {"<result>", "</result>", false}, {"<results>", "</results>", false},
	{"<observation>", "</observation>", false}, {"<interpreter>", "</interpreter>", false},
}

// actions are the marks around an action that is no call with a name: a search or code, which stays text, as its prompt asks for it.
// Search-R1, ReSearch, ReTool and Search-o1 write them. Behind one of them what the prompt does not ask for is no result, but for
// the mark that nothing else has behind it: XML and HTML have most of the others.
var actions = [...]struct{ open, end, result string }{
	{"<search>", "</search>", "<information>"},
	{"<code>", "</code>", "<interpreter>"},
	{"<python>", "</python>", "<interpreter>"},
	{"<query>", "</query>", ""},
	{"<execute>", "</execute>", ""},
	{"<function_calls>", "</function_calls>", ""},
	{"<|begin_search_query|>", "<|end_search_query|>", "<|begin_search_result|>"},
}

// Turns reads an assistant's text as Read does, and takes it apart at the results that it shows: each turn has the calls before its
// results, and the next one what is said after them. A text without results is one turn. A result inside a thought or the
// arguments of a call is part of these.
func Turns(text string, row Row) ([]Turn, error) {
	if row == nil {
		row = noRow{}
	}
	if !showsResults(text) {
		r, err := Read(text, row)
		return []Turn{{Reading: r}}, err
	}
	s := splitter{text: TrimEnd(text), row: row, next: map[string]int{}}
	s.code.text = s.text
	if err := s.scan(); err != nil {
		return nil, err
	}
	if len(s.turns) == 0 {
		r, err := Read(text, row)
		return []Turn{{Reading: r}}, err
	}
	if strings.TrimSpace(s.text[s.from:]) == "" {
		return s.turns, nil
	}
	return s.turns, s.say(len(s.text))
}

func showsResults(text string) bool {
	for i := 0; ; i++ {
		n := strings.IndexByte(text[i:], '<')
		if n < 0 {
			return false
		}
		i += n
		for _, m := range resultMarks {
			if strings.HasPrefix(text[i:], m.open) {
				return true
			}
		}
	}
}

type splitter struct {
	text  string
	row   Row
	turns []Turn
	next  map[string]int // where a mark is next, len(text) for nowhere

	from    int // where the turn that is read begins
	behind  int // where the last call, action or result ends
	waiting int // calls without a result
	acts    int // the action that is the last of calls and actions, counted from 1

	opened [len(actions)]int // where each action began last, counted from 1
	code   fences
}

func (s *splitter) scan() error {
	i := s.skipThought(0)
	s.code.pass(i)
	for i < len(s.text) {
		n := nextMark(s.text[i:])
		if n < 0 {
			break
		}
		i += n
		end, r := -1, Reading{}
		var err error
		if opens(s.text[i:]) && !s.code.holds(i) {
			if end, err = r.call(s.text[i:], s.row); err != nil {
				return fmt.Errorf("call at byte %d: %w", i, err)
			}
		}
		if end >= 0 {
			i += end
			s.code.pass(i)
			s.behind = i
			s.waiting += len(r.Calls)
			s.acts = 0
			continue
		}
		end, err = s.result(i)
		switch {
		case err != nil:
			return err
		case end > i:
			i = s.skipThought(end)
			s.code.pass(i)
			continue
		}
		s.action(i)
		i++
	}
	return nil
}

// action notes an action that begins or ends at i, outside of code in Markdown.
func (s *splitter) action(i int) {
	for k, a := range actions {
		switch {
		case strings.HasPrefix(s.text[i:], a.open):
			if !s.code.holds(i) {
				s.opened[k] = i + 1
			}
		case strings.HasPrefix(s.text[i:], a.end) && s.opened[k] > s.behind:
			s.behind, s.acts = i+len(a.end), k+1
		}
	}
}

// isAsked reports whether a mark behind the last action is that of its result.
func (s *splitter) isAsked(mark string) bool {
	a := actions[s.acts-1]
	return mark == a.result || s.row.Mentions(a.open) || s.row.Mentions(mark)
}

// result reads the result that begins at i, and returns where it ends, i for no result.
func (s *splitter) result(i int) (int, error) {
	for _, m := range resultMarks {
		if !strings.HasPrefix(s.text[i:], m.open) {
			continue
		}
		direct := s.behind > 0 && strings.TrimSpace(s.text[s.behind:i]) == ""
		before := strings.TrimRight(s.text[:i], " \t")
		if !direct && (!m.own || s.waiting == 0 && before != "" && before[len(before)-1] != '\n') {
			return i, nil
		}
		if direct && !m.own && s.acts > 0 && !s.isAsked(m.open) {
			return i, nil
		}
		start := i + len(m.open)
		end := s.find(m.end, start)
		if end == len(s.text) {
			if direct && m.own {
				return 0, fmt.Errorf("result at byte %d: want %s, have the end", i, m.end)
			}
			return i, nil
		}
		inner := strings.TrimSpace(s.text[start:end])
		if inner == "" && !direct {
			return i, nil // prose names the marks
		}
		if len(s.turns) == 0 || strings.TrimSpace(s.text[s.from:i]) != "" {
			if err := s.say(i); err != nil {
				return 0, err
			}
		}
		end += len(m.end)
		found := result(inner)
		if s.acts > 0 && direct {
			found = Result{Content: s.text[i:end], Told: true}
		}
		if !found.Told {
			s.waiting = max(s.waiting-1, 0)
		}
		last := &s.turns[len(s.turns)-1]
		last.Results = append(last.Results, found)
		s.from, s.behind = end, end
		return end, nil
	}
	return i, nil
}

// say adds the turn that ends at a byte of the text.
func (s *splitter) say(end int) error {
	r, err := Read(s.text[s.from:end], s.row)
	r.Text = strings.TrimSpace(r.Text)
	s.turns = append(s.turns, Turn{Reading: r})
	return err
}

// skipThought returns where the thoughts end that begin at i.
func (s *splitter) skipThought(i int) int {
	for {
		rest := strings.TrimLeft(s.text[i:], " \t\r\n")
		at := len(s.text) - len(rest)
		m := slices.IndexFunc(thoughtMarks[:], func(m struct{ open, end string }) bool { return strings.HasPrefix(rest, m.open) })
		if m < 0 {
			return i
		}
		end := s.find(thoughtMarks[m].end, at)
		if end == len(s.text) {
			return i
		}
		i = end + len(thoughtMarks[m].end)
	}
}

// find returns where a mark is at or behind i, the length of the text for nowhere. All searches together read the text once for
// each mark.
func (s *splitter) find(mark string, i int) int {
	at, ok := s.next[mark]
	if !ok || at < i {
		if at = strings.Index(s.text[i:], mark); at < 0 {
			at = len(s.text)
		} else {
			at += i
		}
		s.next[mark] = at
	}
	return at
}
