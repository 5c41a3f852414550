package privacy_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// BenchmarkStandard runs over records of a chat log with tools, or over the JSON Lines file that
// SLUICE_BENCH_CORPUS names.
func BenchmarkStandard(b *testing.B) {
	for _, hits := range []int{10, 0} { // one row in so many holds something
		b.Run(fmt.Sprintf("hits=%d", hits), func(b *testing.B) {
			sdktest.Bench(b, privacy.Plugin, "", benchRecords(b, hits)...)
		})
	}
}

func benchRecords(b *testing.B, hits int) (records []string) {
	if name := os.Getenv("SLUICE_BENCH_CORPUS"); name != "" {
		file, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			records = append(records, lines.Text())
		}
		return records
	}
	text := strings.Repeat("please read the calendar and draft a reply \\\"by noon\\\", then book a table near the station ", 20)
	for i := range 200 {
		say := text
		if hits > 0 && i%hits == 0 {
			say += " my address is user@example.com and the key sk-0123456789abcdef0123456789abcdef"
		}
		row := fmt.Sprintf(`{"format":"eliza_native_v1","request":{"system":%q,"messages":[{"role":"user","content":"%s"}],"tools":[{"name":"MAIL","inputSchema":{"type":"object","properties":{"to":{"type":"string"}}}}]},"response":{"text":"%s","usage":{"totalTokens":%d}},"stepId":"step-%d"}`,
			"You are an agent.", say, text, 900+i, i)
		records = append(records, row)
	}
	return records
}
