package launch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// callError returns the error of a call: a crash when the process has ended.
func (p *process) callError(ctx context.Context, err error, at wire.Spot) error {
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		late, ok := errors.AsType[*flow.Crash](cause)
		switch {
		case !ok:
			return cause
		case late.At < 0:
			return crash(late.How, at)
		}
		own := *late // the crash of another worker, which goes on to change it
		return &own
	}
	if rpc.TooLarge(err) {
		err = &wire.Breach{Plugin: p.chain.Location.Name, Err: plainError(err)}
	}
	if end := breach(err); end != nil {
		p.runner.killFor(end.How) // so that the calls of its other workers tell the same
		return end
	}
	_, ofRecord := errors.AsType[*wire.RecordError](err)
	_, ofStep := errors.AsType[*wire.StepError](err)
	if ofRecord || ofStep || !lostConnection(err) {
		if err = plainError(err); !ofRecord && at.Record >= 0 {
			err = &wire.RecordError{Record: at.Record, Err: err}
		}
		return err
	}
	if first := context.Cause(p.ctx); first != nil && !isCrash(first) {
		return first // of another worker, for which this process was ended
	}
	steps := p.chain.crashedSteps()
	how, ok := p.exitReason(p.chain.private(steps))
	if !ok { // it closed its socket or its stream
		end := breach(&wire.Breach{Plugin: p.chain.Location.Name, Err: rpc.ErrEnded})
		p.runner.killFor(end.How)
		return end
	}
	end := crash(how, at)
	end.Others = steps
	return end
}

// exitReason returns how the process ended, as cmdRunner.exitReason does: when the call of another worker has ended it, by what that
// call was told.
func (p *process) exitReason(private bool) (how string, ok bool) {
	if first, ok := errors.AsType[*flow.Crash](context.Cause(p.ctx)); ok {
		return first.How, true
	}
	return p.runner.exitReason(private)
}

// lostConnection reports whether a call failed because the process is gone, or has cut off what it was sending.
func lostConnection(err error) bool {
	if _, said := errors.AsType[*sentStatus](err); said {
		return false
	}
	return errors.Is(err, rpc.ErrEnded) || slices.Contains([]codes.Code{codes.Unavailable, codes.Canceled, codes.Internal}, status.Code(err))
}

// plainError returns a plugin's own error without the text that gRPC puts around it, still as that of its record and step.
func plainError(err error) error {
	if bad, ok := errors.AsType[*wire.RecordError](err); ok {
		return &wire.RecordError{Record: bad.Record, Err: plainError(bad.Err)}
	}
	if bad, ok := errors.AsType[*wire.StepError](err); ok {
		return &wire.StepError{Step: bad.Step, Err: plainError(bad.Err)}
	}
	if s, ok := status.FromError(err); ok {
		return errors.New(s.Message())
	}
	return err
}

// isShortage reports whether the system lacked something at the moment, so that nothing has to be wrong with the pipeline. gRPC passes
// on only the text of such an error.
func isShortage(err error) bool {
	return slices.ContainsFunc([]syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM, syscall.ENOSPC}, func(e syscall.Errno) bool {
		return strings.Contains(err.Error(), e.Error())
	})
}
