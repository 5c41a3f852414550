package privacy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/redact"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// deciding returns the data and the code that findings depend on, by folder.
func deciding() map[string]fs.FS {
	folders := map[string]fs.FS{"recognise": recognise.Files, "redact": redact.Files, "rules": rules.Files}
	if reference, ok := profile.Lookup[Reference]("privacy"); ok {
		folders["../reference/privacy"] = reference.Files
	}
	return folders
}

// RulesHash returns the SHA-256 of all that findings and replacements depend on: the data and the code of the rules, and the
// version of the library of telephone numbers.
var RulesHash = sync.OnceValue(func() string { return hashOfFiles(deciding(), phoneNumbers()) })

func hashOfFiles(folders map[string]fs.FS, versions string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", versions)
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		err := fs.WalkDir(folders[folder], ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
				return err
			}
			data, err := fs.ReadFile(folders[folder], name)
			fmt.Fprintf(h, "%q %q %d\n", folder, name, len(data))
			h.Write(data)
			return err
		})
		if err != nil {
			panic(err) // they are embedded
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// phoneNumbers returns the version of the library that holds the telephone plans of countries.
func phoneNumbers() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == "github.com/nyaruka/phonenumbers" {
			return m.Version
		}
	}
	return ""
}
