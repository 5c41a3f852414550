package plugins_test

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/sdk"
)

// TestPluginsDescribeThemselves holds that every built-in is well-formed, that each of its attributes says what it is for and how
// it is written, and that the codes of its rejects have meanings, since the documentation is made of that.
func TestPluginsDescribeThemselves(t *testing.T) {
	for _, p := range plugins.All {
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, info := range sdk.Host(plugins.All...).Plugins {
		inside := map[string]bool{} // attributes that have others in them
		for _, arg := range info.Args {
			if i := strings.LastIndexByte(arg.Name, '.'); i > 0 {
				inside[arg.Name[:i]] = true
			}
		}
		for _, arg := range info.Args {
			if arg.Doc == "" || strings.HasSuffix(arg.Doc, ".") {
				t.Errorf("%s: want a doc of %s without a full stop, have %q", info.Name, arg.Name, arg.Doc)
			}
			told := arg.Default != "" || arg.Example != "" || len(arg.Words) > 0 || inside[arg.Name]
			if !told && (strings.Contains(arg.Type, "string") || strings.Contains(arg.Type, "object")) {
				t.Errorf("%s: want an example of %s in its tag, since the type does not say what it may be, have none", info.Name, arg.Name)
			}
		}
		if info.Codes == nil {
			t.Errorf("%s: want Codes, if only an empty map, have nil", info.Name)
		}
		for code, means := range info.Codes {
			if strings.HasSuffix(means, ".") {
				t.Errorf("%s: want what %s means without a full stop, have %q", info.Name, code, means)
			}
		}
	}
}
