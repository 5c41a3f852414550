package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// writeRun writes the outputs of a run of one file, with their origins, and returns its receipt.
func writeRun(t testing.TB, dir string, names ...string) *receipt.Receipt {
	set := output.New(output.Options{Run: "TESTRUN1", Origins: true})
	r := &receipt.Receipt{Run: "TESTRUN1", Balanced: true, Inputs: []receipt.Input{{Name: "in.jsonl", Records: int64(3 * len(names))}}}
	r.Totals.Read, r.Totals.Written = int64(3*len(names)), int64(3*len(names))
	var sinks []*output.Sink
	for i, name := range names {
		sink, err := set.Sink("jsonl", output.Claim{What: fmt.Sprint("sink ", i), Path: filepath.Join(dir, name)})
		if err != nil {
			t.Fatal(err)
		}
		sinks = append(sinks, sink)
	}
	if err := set.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, sink := range sinks {
		var rows []wire.Record
		for n := range 3 {
			rows = append(rows, wire.Record{Data: fmt.Appendf(nil, `{"row":%d}`, n), File: "in.jsonl", Line: int64(3*i + n + 1)})
		}
		if err := sink.Write(rows); err != nil {
			t.Fatal(err)
		}
	}
	files, err := set.Finish()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		r.Outputs = append(r.Outputs, receipt.Output{Path: filepath.Base(f.Path), Records: f.Records, Bytes: f.Bytes, Sum: f.Sum, Sink: f.Claim.What,
			Origins: &receipt.Sidecar{Path: ".sluice/" + filepath.Base(f.Path) + ".origins", Sum: f.Origins.Sum}})
		r.Totals.BytesWritten += f.Bytes
	}
	if err := set.Commit(); err != nil {
		t.Fatal(err)
	}
	return r
}

// save writes the receipt of a run into its folder.
func save(t testing.TB, dir string, r *receipt.Receipt) {
	text, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "receipt.json"), text)
}

func put(t testing.TB, path string, text []byte) {
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestAnyByte holds that no file of a run can lose, gain or change a byte unnoticed, plain or compressed, rows or origins, and that
// the difference names the file.
func TestAnyByte(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, writeRun(t, dir, "a.jsonl", "b.jsonl.gz", "c.jsonl.zst"))
	differs := func(name, change string) {
		found, err := Run(t.Context(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if name == "" && !found.Whole {
			t.Fatalf("want a whole run, have %v", found.Differences)
		}
		if name != "" && (found.Whole || found.Differences[0].Path != filepath.Join(dir, name)) {
			t.Errorf("%s with %s: want a difference of it, have %v", name, change, found.Differences)
		}
	}
	differs("", "")
	for _, name := range []string{"a.jsonl", "b.jsonl.gz", "c.jsonl.zst", ".sluice/a.jsonl.origins", ".sluice/b.jsonl.gz.origins"} {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(whole); i += 1 + i/4 {
			changed := bytes.Clone(whole)
			changed[len(whole)-1-i] ^= 1
			put(t, path, changed)
			differs(name, fmt.Sprintf("byte %d from the end changed", i))
			put(t, path, whole[:i])
			differs(name, fmt.Sprintf("%d bytes", i))
		}
		put(t, path, append(bytes.Clone(whole), 'x'))
		differs(name, "one byte more")
		put(t, path, whole)
	}
	differs("", "")
}

// TestStopped holds that a verification ends with its context, in the middle of a file too, and then proves nothing.
func TestStopped(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, writeRun(t, dir, "a.jsonl"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, dir, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("want an error of the context, have %v", err)
	}
	if _, err := readText(ctx, filepath.Join(dir, "a.jsonl"), filehash.Default, everyLine); !errors.Is(err, context.Canceled) {
		t.Errorf("want an error of the context within a file, have %v", err)
	}
}

// FuzzVerify holds that whatever a receipt says, nothing that differs from it is called whole, and no file is read outside of its folder
// that the result does not list.
func FuzzVerify(f *testing.F) {
	dir := f.TempDir()
	f.Chdir(dir)
	r := writeRun(f, ".", "a.jsonl", "b.jsonl.gz")
	add := func(change func(x *receipt.Receipt)) {
		x := *r
		x.Outputs = append([]receipt.Output{}, r.Outputs...)
		change(&x)
		text, err := x.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	add(func(*receipt.Receipt) {})
	add(func(x *receipt.Receipt) { x.Outputs[0].Path = "/etc/hostname" })
	add(func(x *receipt.Receipt) { x.Outputs[0].Origins.Path = "../../x.origins" })
	add(func(x *receipt.Receipt) { x.Outputs[1] = x.Outputs[0] })
	add(func(x *receipt.Receipt) { x.Timeline = &receipt.Sidecar{Path: ".sluice/a.jsonl.origins"} })
	add(func(x *receipt.Receipt) {
		x.Reports = []receipt.Report{{What: "manifest", Sidecar: receipt.Sidecar{Path: "a.jsonl", Sum: r.Outputs[0].Sum}}}
	})
	f.Fuzz(func(t *testing.T, text []byte) {
		put(t, "receipt.json", text)
		found, err := Run(t.Context(), "receipt.json", Options{})
		if err != nil {
			return // no receipt
		}
		x, err := receipt.Read("receipt.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range x.Outputs {
			at, _ := x.Place(".", o.Path)
			if info, err := os.Stat(at); o.Path == "-" || err != nil || !info.Mode().IsRegular() {
				continue
			}
			sum, err := filehash.File(at, o.Algorithm())
			if found.Whole && (err != nil || sum != o.Sum) {
				t.Errorf("%s: want it to differ, have a whole run", at)
			}
		}
		for _, d := range found.Differences {
			if strings.HasPrefix(d.Path, "/etc") && d.What == Hash && !strings.HasSuffix(d.Have, "a file with other bytes") {
				t.Errorf("want no hash of a file outside told, have %v", d)
			}
		}
	})
}

// TestLargeContent holds that a file about a run, which whoever wrote the receipt has named, is not read into memory whatever its size.
func TestLargeContent(t *testing.T) {
	dir := t.TempDir()
	r := writeRun(t, dir, "a.jsonl")
	at := filepath.Join(dir, "manifest.json")
	put(t, at, nil)
	if err := os.Truncate(at, contentLimit+1); err != nil {
		t.Fatal(err)
	}
	_, sum, err := hashFile(t.Context(), at, filehash.Default)
	if err != nil {
		t.Fatal(err)
	}
	r.Reports = append(r.Reports, receipt.Report{What: receipt.ManifestReport, Sidecar: receipt.Sidecar{Path: "manifest.json", Sum: sum}})
	save(t, dir, r)
	found, err := Run(t.Context(), dir, Options{})
	if err != nil || len(found.Differences) > 0 || len(found.Unchecked) != 1 || !strings.Contains(found.Unchecked[0].Why, "more than 64 MiB") {
		t.Errorf("want the content of the manifest told as not compared, have %+v (%v)", found, err)
	}
}
