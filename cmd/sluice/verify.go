package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

func verifyCommand(out *report) *cobra.Command {
	var dir string
	var inputs []string
	c := &cobra.Command{
		Use:   "verify ATTESTATION",
		Short: "check an attestation against its files",
		Long: `verify checks that an attestation has passed; that output, ledger, statistics and rejects are the files it speaks of,
with the ledger's rows as counted and as it says they are; and that nothing was rejected. They are looked for beside it.
With --input it also checks that these files, and no others, were read.`,
		Example: `  sluice privacy verify out/attestation.json
  sluice privacy verify out/attestation.json --input corpus/a.jsonl --input corpus/b.jsonl`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{command: c, err: fmt.Errorf("want one attestation, have %d arguments", len(args))}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			doc, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			if dir == "" {
				dir = filepath.Dir(args[0])
			}
			err = attestation.Verify(doc, func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(dir, filepath.Base(name))) })
			if len(inputs) > 0 {
				err = errors.Join(err, verifyInputs(doc, inputs))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			out.say("%s holds", args[0])
			return nil
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "look for the files in `DIR`")
	c.Flags().StringArrayVar(&inputs, "input", nil, "a `FILE` that was read; may be given again")
	return c
}

// verifyInputs holds files to the hashes of the inputs that an attestation is bound to.
func verifyInputs(doc []byte, paths []string) error {
	var attested []string
	for _, sum := range gjson.GetBytes(doc, "bindings.inputs.#.sha256").Array() {
		attested = append(attested, sum.Str)
	}
	var errs []error
	for _, path := range paths {
		sum, err := shaOf(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		i := slices.Index(attested, sum)
		if i < 0 {
			errs = append(errs, fmt.Errorf("%s: want a file that was read, have another", path))
			continue
		}
		attested = slices.Delete(attested, i, i+1)
	}
	if len(attested) > 0 {
		errs = append(errs, fmt.Errorf("want every input, have %d fewer", len(attested)))
	}
	return errors.Join(errs...)
}

// shaOf is the SHA-256 of a file in hex.
func shaOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// sha is a SHA-256 in hex.
func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
