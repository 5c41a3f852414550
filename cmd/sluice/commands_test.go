package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// scriptCommands are what scripts can do beside the commands of testscript.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"exits":    exits,
	"json":     jsonValue,
	"setjson":  setJSON,
	"older":    older,
	"big":      big,
	"compress": compress,
	"sum":      sum,
	"account":  account,
	"nopeak":   noPeak,
	"bucket":   bucketCommand,
	"web":      webCommand,
}

func want(ts *testscript.TestScript, neg, ok bool, usage string) {
	if neg || !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

// peakMemory is what the message of a crash says where the system tells how much memory a process had.
var peakMemory = regexp.MustCompile(`; peak memory below [0-9]+MiB`)

// noPeak takes the peak memory of crashes out of files, since not every system tells it.
func noPeak(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) > 0, "nopeak FILE...")
	for _, name := range args {
		text := peakMemory.ReplaceAllString(ts.ReadFile(name), "")
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o666))
	}
}

// exits runs a program and wants its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) > 1, "exits CODE PROGRAM [ARG...]")
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if have := strconv.Itoa(code); have != args[0] {
		ts.Fatalf("want exit code %s, have %s", args[0], have)
	}
}

// jsonValue wants a value at a path of a JSON file, as gjson spells it. "stdout" is the output of the last program.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, false, len(args) == 3, "[!] json FILE PATH VALUE")
	text := ts.ReadFile(args[0])
	if !gjson.Valid(text) {
		ts.Fatalf("want JSON in %s, have %.200q", args[0], text)
	}
	if have := gjson.Get(text, args[1]).String(); (have == args[2]) == neg {
		ts.Fatalf("%s: want %s to be %q (negated: %v), have %q", args[0], args[1], args[2], neg, have)
	}
}

// setJSON puts a string at a path of a JSON file.
func setJSON(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 3, "setjson FILE PATH VALUE")
	text, err := sjson.Set(ts.ReadFile(args[0]), args[1], args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// big writes a JSON record of so many bytes, and a small one on either side of it.
func big(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "big FILE BYTES")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	const head, tail = `{"text":"`, `"}`
	record := head + strings.Repeat("x", n-len(head)-len(tail)) + tail
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("{\"text\":\"before\"}\n"+record+"\n{\"text\":\"after\"}\n"), 0o666))
}

// compress writes a file as two compressed members behind each other, or in a form that fewer tools write: gzip padded with zeros or
// cut off, zstd behind a frame to skip, and text behind a byte-order mark, in gzip or not.
func compress(ts *testscript.TestScript, neg bool, args []string) {
	forms := []string{"gzip", "zstd", "padded", "cut", "skipping", "marked", "marked-gzip"}
	want(ts, neg, len(args) == 3 && slices.Contains(forms, args[0]), "compress "+strings.Join(forms, "|")+" FROM TO")
	form, text := args[0], ts.ReadFile(args[1])
	if strings.HasPrefix(form, "marked") {
		text = "\uFEFF" + text
	}
	var out bytes.Buffer
	if form == "skipping" {
		out.WriteString("\x50\x2a\x4d\x18\x03\x00\x00\x00abc")
	}
	for _, part := range []string{text[:len(text)/2], text[len(text)/2:]} {
		var w io.WriteCloser = gzip.NewWriter(&out)
		if form == "zstd" || form == "skipping" {
			z, err := zstd.NewWriter(&out)
			ts.Check(err)
			w = z
		}
		_, err := io.WriteString(w, part)
		ts.Check(errors.Join(err, w.Close()))
	}
	switch form {
	case "padded":
		out.Write(make([]byte, 512))
	case "cut":
		out.Truncate(out.Len() - 10)
	case "marked":
		out.Reset()
		out.WriteString(text)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), out.Bytes(), 0o666))
}

// sum puts the SHA-256 of a program into a variable, and its path into the variable with _PATH.
func sum(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "sum VARIABLE PROGRAM")
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	data, err := os.ReadFile(path)
	ts.Check(err)
	digest := sha256.Sum256(data)
	ts.Setenv(args[0], hex.EncodeToString(digest[:]))
	ts.Setenv(args[0]+"_PATH", path)
}

// account wants two receipts that differ in times, ids, poison and the run before only.
func account(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "account RECEIPT RECEIPT")
	var receipts [2]any
	for i, name := range args {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &receipts[i]))
		forget(receipts[i])
	}
	if diff := cmp.Diff(receipts[0], receipts[1]); diff != "" {
		ts.Fatalf("want %s and %s to differ in times and ids only:\n%s", args[0], args[1], diff)
	}
}

// forget takes times, ids and poison out of a receipt.
func forget(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if key == "run" || key == "started" || key == "finished" || key == "timeline" || key == "poison" || key == "before" || strings.HasSuffix(key, "seconds") {
				delete(v, key)
			}
			forget(inner)
		}
	case []any:
		for _, inner := range v {
			forget(inner)
		}
	}
}
