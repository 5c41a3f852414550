//go:build !unix

package launch

import "errors"

var errNotHere = errors.New("want a system with Unix processes")

func eatShared() error { return errNotHere }

func leaveChild() error { return errNotHere }
