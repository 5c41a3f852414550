package plugins_test

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/sdk"
)

// TestPluginsDescribeThemselves holds that every built-in is well-formed and that each of its attributes says what it
// is for, since the documentation is made of that.
func TestPluginsDescribeThemselves(t *testing.T) {
	for _, p := range plugins.All {
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
	}
	host := sdk.Host(plugins.All...)
	for _, info := range host.Plugins {
		for _, arg := range info.Args {
			if arg.Doc == "" || strings.HasSuffix(arg.Doc, ".") {
				t.Errorf("%s: want a doc of %s without a full stop, have %q", info.Name, arg.Name, arg.Doc)
			}
		}
	}
}
