package render

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// FuzzAppend looks for records that make Append panic, or give neither a row nor a reason.
func FuzzAppend(f *testing.F) {
	f.Add(`{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[{"role":"user","content":"hi"}]},"response":{"text":"a"}}`)
	f.Add(`{"request":{"messages":[{"role":"assistant","toolInvocations":[{"state":"result","result":1}]}]},"response":[`)
	f.Fuzz(func(t *testing.T, record string) {
		if row, reason := appendRow(nil, jsontext.JSON(record)); reason == "" && len(row) == 0 {
			t.Fatal("want a row or a reason")
		}
	})
}
