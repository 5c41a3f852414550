//go:build ignore

// Checks the types of every package, tests too, for the system and the machine of GOOS and GOARCH. It reads all of them as source: a
// compiler that makes code of what they import takes ten times as long.
package main

import (
	"log"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	all, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Tests: true}, "./...")
	if err != nil {
		log.Fatal(err)
	}
	if len(all) == 0 || packages.PrintErrors(all) > 0 {
		os.Exit(1)
	}
}
