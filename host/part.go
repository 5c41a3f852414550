package host

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
)

// secretCheck is how many hexadecimal digits say whether parts have the same secrets: enough to tell two from each other, and too few to
// know one that was guessed.
const secretCheck = 6

// notePart notes in the account of a part what its rows depend on, besides what every receipt has: the files that steps are told of, and
// the values of sensitive variables. The steps have started. What other plugins than the built-in ones read is not known, and what they are
// told of they may write.
func (r *run) notePart() error {
	for i, step := range r.plan.Steps {
		if !r.fleet.Steps[i].Location.BuiltIn {
			continue
		}
		for _, f := range r.filesOf(i) {
			sum, err := filehash.File(f.Name, filehash.Default)
			if err != nil {
				return fmt.Errorf("step %s: %w", step.Label(), err)
			}
			name := r.opts.MaskName(filepath.Base(f.Name))
			r.plan.Part.Named = append(r.plan.Part.Named, receipt.NamedFile{Step: step.Label(), Name: name, Sum: sum})
		}
	}
	var secrets []string
	for _, v := range r.tree.Vars {
		if v.Sensitive {
			secrets = append(secrets, fmt.Sprintf("%q=%s", v.Name, v.Value))
		}
	}
	if len(secrets) == 0 {
		return nil
	}
	sum, err := hashOf([]byte(strings.Join(secrets, "\n")), true, r.plan.Part.SHA256)
	if err == nil {
		r.plan.Part.Secrets = sum[:secretCheck]
	}
	return err
}
