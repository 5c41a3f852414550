package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
)

// state checks that a second process goes on from what the first knew after half of the records: that is nothing, unless it is ordered.
func state(ctx context.Context, s *subject) error {
	if s.baseline == nil {
		if err := rows(ctx, s); err != nil {
			return err
		}
	}
	d, err := s.describe(ctx)
	if err != nil {
		return err
	}
	if d.Ordered {
		return savedState(ctx, s)
	}
	records := s.records()
	half, have := len(records)/2, make([]string, len(records)+1)
	err = s.inProcess(ctx, func(ctx context.Context, fleet *launch.Fleet, stage flow.Saver) error {
		return s.runBatch(ctx, fleet, stage, records[half:], half, have[half:], mode{})
	})
	if err != nil {
		return err
	}
	for i := half; i < len(records); i++ {
		if have[i] != s.baseline[i] {
			return fmt.Errorf("record %d, in a process that began with record %d: want the same answer as before, of %d bytes, have one of %d", i+1, half+1, len(s.baseline[i]), len(have[i]))
		}
	}
	return nil
}

func savedState(ctx context.Context, s *subject) error {
	records := s.records()
	half, have := len(records)/2, make([]string, len(records)+1)
	var state bytes.Buffer
	err := s.inProcess(ctx, func(ctx context.Context, fleet *launch.Fleet, stage flow.Saver) error {
		if !stage.Saves() {
			return notApplicable("it saves no state, so a run that is interrupted begins anew")
		}
		if err := s.runBatch(ctx, fleet, stage, records[:half], 0, have, mode{}); err != nil {
			return err
		}
		return stage.Save(ctx, &state)
	})
	if err != nil {
		return err
	}
	whole := bytes.Clone(state.Bytes())
	err = s.inProcess(ctx, func(ctx context.Context, fleet *launch.Fleet, stage flow.Saver) error {
		if err := stage.Restore(ctx, &state); err != nil {
			return err
		}
		if err := s.runBatch(ctx, fleet, stage, records[half:], half, have[half:], mode{}); err != nil || !fleet.Chains[0].Finishes {
			return err
		}
		return s.runBatch(ctx, fleet, stage, nil, 0, have[len(records):], mode{})
	})
	if err != nil {
		return err
	}
	for i := range s.baseline {
		if have[i] != s.baseline[i] {
			return fmt.Errorf("record %d, after a new process went on from the state of record %d: want the same answer as before, of %d bytes, have one of %d", i+1, half, len(s.baseline[i]), len(have[i]))
		}
	}
	if len(whole) == 0 {
		return nil
	}
	err = s.inProcess(ctx, func(ctx context.Context, _ *launch.Fleet, stage flow.Saver) error {
		return stage.Restore(ctx, bytes.NewReader(whole[:len(whole)/2]))
	})
	if err == nil {
		return errors.New("want an error for half of a state, have it restored")
	}
	return ctx.Err()
}

// inProcess runs a call with the only worker of a new process.
func (s *subject) inProcess(ctx context.Context, call func(context.Context, *launch.Fleet, flow.Saver) error) error {
	ctx, stop := s.withTimeout(ctx)
	defer stop()
	fleet, err := s.openTarget(ctx, mode{})
	if err != nil {
		return err
	}
	defer fleet.Abort()
	return call(ctx, fleet, fleet.Chains[0].Stages()[0].(flow.Saver))
}
