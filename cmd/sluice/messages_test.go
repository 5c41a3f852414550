package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// telling are the functions whose texts people read: errors, rejects, declines, diagnostics and what commands say.
var telling = map[string]bool{
	"Errorf": true, "New": true, "Reject": true, "Decline": true, "Drop": true, "Fatal": true, "Sprintf": true, "say": true, "Say": true, "Warn": true,
	"errorf": true, "fault": true, "want": true, "note": true, "notFor": true, "fail": true, "report": true, "warn": true, "unfit": true,
	"problem": true, "fileError": true, "At": true, "AtRange": true, "at": true, "badLabel": true, "place": true, "differs": true, "unchecked": true,
}

// says finds the texts that are more than verbs of a format: two words.
var says = regexp.MustCompile(`[a-z]{2,}[^a-z]* .*[a-z]{3,}|[a-z]{3,}.* [^a-z]*[a-z]{2,}`)

// TestMessages holds every message of the program in one file, testdata/messages.golden, so that each is read as it changes:
// what happened, what was wanted, what was there. With -update the file is written anew.
func TestMessages(t *testing.T) {
	const golden = "testdata/messages.golden"
	all := map[string]map[string]bool{} // by package
	for _, top := range []string{"cmd", "host", "plugins", "sdk"} {
		for folder, texts := range messages(t, filepath.Join("../..", top)) {
			all[folder] = texts
		}
	}
	var b bytes.Buffer
	for _, folder := range slices.Sorted(maps.Keys(all)) {
		b.WriteString("\n" + folder + "\n")
		for _, text := range slices.Sorted(maps.Keys(all[folder])) {
			b.WriteString("    " + strconv.Quote(text) + "\n")
			if fault := badMessage(text); fault != "" {
				t.Errorf("%s: %q: %s", folder, text, fault)
			}
		}
	}
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("messages have changed; read them and write them with -update (-want +have):\n%s", diff)
	}
}

// saysNothing matches a have that does not say what was there.
var saysNothing = regexp.MustCompile(`\bhave (none|neither|another|others)\b`)

// badMessage says in which way a message is not as all of them are.
func badMessage(text string) string {
	first := []rune(text)[0]
	word, _, _ := strings.Cut(text, " ")
	switch {
	case unicode.IsUpper(first) && word == strings.ToUpper(word[:1])+strings.ToLower(word[1:]):
		return "want a message that begins in lower case"
	case strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "..."):
		return "want no full stop at its end"
	case saysNothing.MatchString(text):
		return "want what was there behind have"
	case strings.Contains(strings.ToLower(text), "failed to ") || strings.HasPrefix(text, "error"):
		return "want what was wanted and what was there"
	}
	return ""
}

// messages collects the texts of the functions that tell people something, by folder.
func messages(t *testing.T, root string) map[string]map[string]bool {
	found := map[string]map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), "../../"))
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !telling[called(call)] {
				return true
			}
			for _, arg := range call.Args {
				if text, ok := literal(arg); ok && says.MatchString(text) {
					if found[folder] == nil {
						found[folder] = map[string]bool{}
					}
					found[folder][text] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// called is the name of a function that is called, without its package or receiver.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// literal is a string that stands in the source, of several parts too. What is computed in it is "%v".
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, leftOK := literal(e.X)
		right, rightOK := literal(e.Y)
		if !leftOK && !rightOK {
			return "", false
		}
		if !leftOK {
			left = "%v"
		}
		if !rightOK {
			right = "%v"
		}
		return left + right, true
	}
	return "", false
}
