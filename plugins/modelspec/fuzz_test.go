package modelspec_test

import (
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspecthread "github.com/sluicehq/sluice/plugins/modelspec/thread"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// FuzzThread holds that any record ends as a thread, a reject or a decline, that a thread is JSON, and that the way back
// takes it for a thread.
func FuzzThread(f *testing.F) {
	for i, row := range rows(30) {
		f.Add(row, i)
	}
	args := []string{`{}`, `{"shape":"tokens"}`, `{"shape":"thread","calls":"python"}`, `{"calls":"jsonl","names":"escape","reasoning":"format","media":"placeholder"}`, `{"system_role":"platform","tool_schema":"json-schema","tool_role":"context"}`}
	f.Fuzz(func(t *testing.T, row string, option int) {
		if !gjson.Valid(row) {
			t.Skip("not JSON")
		}
		results, _ := sdktest.Direct(t, modelspec.Plugin, args[uint(option)%uint(len(args))], row)
		if results[0].Verdict != "emit" {
			return
		}
		back, _ := sdktest.Direct(t, modelspecthread.Plugin, `{}`, results[0].Emitted[0])
		if back[0].Verdict == "decline" || back[0].Code == "bad_thread" {
			t.Errorf("want the thread read, have %s %s: %s for %s", back[0].Verdict, back[0].Code, back[0].Message, results[0].Emitted[0])
		}
	})
}
