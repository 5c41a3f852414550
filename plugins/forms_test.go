package plugins_test

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/check"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestForms holds that the rows of every form that chatml writes pass the check of that form.
func TestForms(t *testing.T) {
	for _, c := range []struct{ form, file, as string }{
		{"messages", "calls", "chatml"},
		{"preference", "form-preference", "preference"},
		{"stepwise", "form-stepwise", "stepwise"},
		{"trajectory-record", "form-trajectory-record", "trajectory"},
	} {
		_, records := caseOf(t, "chatml/testdata/cases/"+c.file+".txtar")
		n := 0
		for _, row := range rowsOf(t, chatml.Plugin, `{"form":"`+c.form+`"}`, records) {
			results, _ := sdktest.Run(t, check.Plugin, `{"as":"`+c.as+`"}`, row)
			if r := results[0]; r.Verdict != "emit" {
				t.Errorf("%s: want a row that passes, have %s %s at %s: %s\n%s", c.form, r.Verdict, r.Code, r.Path, r.Message, row)
			}
			n++
		}
		if n == 0 {
			t.Errorf("%s: want rows, have none", c.form)
		}
	}
}
