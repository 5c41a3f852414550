package plugins_test

import (
	"os"
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

// TestREADMEsNameCodes holds that a plugin's page with a table of codes, which is written by hand, has every code that no
// other plugin declares.
func TestREADMEsNameCodes(t *testing.T) {
	all := sdk.Host(plugins.All...).Plugins
	declared := map[string]int{}
	for _, info := range all {
		for code := range info.Codes {
			declared[code]++
		}
	}
	for _, info := range all {
		name := strings.Replace(info.Name, "modelspec-", "modelspec/", 1) + "/README.md"
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		page := string(text)
		if !strings.Contains(page, "\n| code |") {
			continue
		}
		for code := range info.Codes {
			if declared[code] == 1 && !strings.Contains(page, "`"+code+"`") {
				t.Errorf("%s: want code %s in the table of plugins/%s", info.Name, code, name)
			}
		}
	}
}
