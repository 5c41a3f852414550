package alias_test

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/alias"
	_ "github.com/sluicehq/sluice/plugins/reference"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, alias.Plugin, "testdata/*.txtar") }
