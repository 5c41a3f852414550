package attest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

// Verify checks an attestation against the files that it names, in dir or else in its own folder, and against inputs if given.
func Verify(path, dir string, inputs []string) error {
	doc, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if dir == "" {
		dir = filepath.Dir(path)
	}
	err = attestation.Verify(doc, func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(dir, filepath.Base(name))) })
	if len(inputs) > 0 {
		err = errors.Join(err, verifyInputs(doc, inputs))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// verifyInputs holds files to the hashes of the inputs that an attestation is bound to.
func verifyInputs(doc []byte, paths []string) error {
	var attested []string
	for _, sum := range gjson.GetBytes(doc, "bindings.inputs.#.sha256").Array() {
		attested = append(attested, sum.Str)
	}
	var errs []error
	for _, path := range paths {
		sum, err := rowfile.SHA256(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		i := slices.Index(attested, sum)
		if i < 0 {
			errs = append(errs, fmt.Errorf("%s: want a file that was read, have one that is not among the inputs", path))
			continue
		}
		attested = slices.Delete(attested, i, i+1)
	}
	if len(attested) > 0 {
		errs = append(errs, fmt.Errorf("want every file that was read, %d are missing", len(attested)))
	}
	return errors.Join(errs...)
}
