package lsp

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/editor"
)

const vscode = "../../editors/vscode/"

// TestVSCodeKnowsEveryBlock holds that the colours of the extension for VS Code know the blocks of the language: of pipelines, files
// of steps and files of tests, at the top level and in each other.
func TestVSCodeKnowsEveryBlock(t *testing.T) {
	var grammar struct {
		Repository struct{ Block struct{ Match string } }
	}
	text, err := os.ReadFile(vscode + "syntaxes/sluice.tmLanguage.json")
	if err == nil {
		err = json.Unmarshal(text, &grammar)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, words, _ := strings.Cut(grammar.Repository.Block.Match, "(")
	words, _, _ = strings.Cut(words, ")")
	known := map[string]bool{}
	for _, word := range strings.Split(words, "|") {
		known[word] = true
	}
	seen := map[string]bool{}
	for _, path := range []string{"p.hcl", "p.steps.hcl", "p.test.hcl"} {
		for texts := []string{"|"}; len(texts) > 0; texts = texts[1:] {
			src, at := strings.Replace(texts[0], "|", "", 1), strings.Index(texts[0], "|")
			all, _ := editor.New(host.Options{}).Read(path, []byte(src)).Complete(at)
			for _, c := range all {
				if c.Kind != editor.BlockKind || seen[path+c.Name] {
					continue
				}
				seen[path+c.Name] = true
				word, _, _ := strings.Cut(c.Name, " ")
				if !known[word] {
					t.Errorf("want block %s in the colours of the extension, have none", word)
				}
				texts = append(texts, strings.Replace(texts[0], "|", c.Name+" {\n|\n}", 1))
			}
		}
	}
	if len(seen) < 30 {
		t.Errorf("want the blocks of the language found, have %d", len(seen))
	}
}

// TestVSCodeFiles holds that the extension names files that are there.
func TestVSCodeFiles(t *testing.T) {
	var extension struct {
		Main        string
		Contributes struct {
			Languages []struct{ Configuration string }
			Grammars  []struct{ Language, Path string }
		}
	}
	text, err := os.ReadFile(vscode + "package.json")
	if err == nil {
		err = json.Unmarshal(text, &extension)
	}
	if err != nil {
		t.Fatal(err)
	}
	files := []string{extension.Main}
	for _, l := range extension.Contributes.Languages {
		files = append(files, l.Configuration)
	}
	for _, g := range extension.Contributes.Grammars {
		files = append(files, g.Path)
	}
	for _, file := range files {
		if text, err := os.ReadFile(vscode + file); err != nil || strings.HasSuffix(file, ".json") && !json.Valid(text) {
			t.Errorf("want %s of the extension, have %v", file, err)
		}
	}
}
