package alias_test

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/alias"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, alias.Plugin, "testdata/*.txtar") }
