package main

import (
	"bytes"
	"os"
	"testing"
)

func TestMainIsAtMost20Lines(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(source, []byte("\n")); n > 20 {
		t.Errorf("want at most 20 lines in main.go, have %d", n)
	}
}
