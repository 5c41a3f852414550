package viewer

import (
	"fmt"
	"strings"
	"testing"
)

// TestSpelling holds that no personal word is in the addresses of pages that show it, that of a column only the words on the page are
// spelled, which takes long, and that one behind them is still found by its sum and shown when it is asked for.
func TestSpelling(t *testing.T) {
	var rows strings.Builder
	for i := range 3 * mostFolded {
		fmt.Fprintf(&rows, `{"messages":[{"role":"user","content":"row %d"}],"source":"s%04d@corp-mail.io"}`+"\n", i, i)
	}
	s := serve(t, map[string]string{"a.jsonl": rows.String()}, nil)
	get(t, s, "rows?values=shown")
	spelled := 0
	s.spelling.from.Range(func(any, any) bool {
		spelled++
		return true
	})
	if spelled == 0 || spelled > mostFolded {
		t.Errorf("want at most %d words spelled, have %d", mostFolded, spelled)
	}
	last := &Server{Options: s.Options}
	sum := last.spell("source", fmt.Sprintf("s%04d@corp-mail.io", 3*mostFolded-1))
	if _, body := get(t, s, "rows?values=shown&in.source="+sum); !strings.Contains(body, `<strong class="num">1</strong> row`) || !strings.Contains(body, sum[1:]) {
		t.Errorf("want the row with the word, have\n%s", body)
	}
}
