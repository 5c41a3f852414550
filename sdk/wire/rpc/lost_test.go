package rpc

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestTooLargeMessage holds that a message which is too large is a breach, as any other is, so that the record which it answers is found
// and rejected.
func TestTooLargeMessage(t *testing.T) {
	w := &Worker{opts: WorkerOptions{Plugin: "wide", Capacity: 1 << 20}}
	err := w.lost(status.Error(codes.ResourceExhausted, "grpc: "+tooLargeMessage+" (2 vs. 1)"))
	if b, ok := errors.AsType[*wire.Breach](err); !ok || b.Plugin != "wide" {
		t.Errorf("want a breach of plugin wide, have %T: %v", err, err)
	}
}
