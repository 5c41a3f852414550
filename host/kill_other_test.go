//go:build !unix

package host_test

import "errors"

const hostArg = "run-in"

func hostToKill(string) {}

func holdPipe(string) error { return errors.New("want a system with pipes") }
