package chatml_test

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, chatml.Plugin, "testdata/cases/*.txtar") }
