package main

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestExplode(t *testing.T) { sdktest.Files(t, explode, "testdata/*.txtar") }
