//go:build linux

// The program is the plugin sluice-plugin-chaos, which fails as the tests tell it to.
package main

import "github.com/sluicehq/sluice/cmd/sluice/internal/chaos"

func main() { chaos.Serve() }
