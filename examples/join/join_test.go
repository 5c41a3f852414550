package main

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestJoin(t *testing.T) { sdktest.Files(t, join, "testdata/*.txtar") }
