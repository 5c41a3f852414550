package native_test

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, native.Plugin, "testdata/cases/*.txtar") }
