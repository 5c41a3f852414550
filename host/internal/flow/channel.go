package flow

import "context"

// forEach calls fn with every value that arrives.
func forEach[T any](ctx context.Context, in <-chan T, fn func(T) error) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case v, ok := <-in:
			if !ok {
				return nil
			}
			if err := fn(v); err != nil {
				return err
			}
		}
	}
}

// receive waits for the next value of a channel that is not done yet.
func receive[T any](ctx context.Context, in <-chan T) (v T, err error) {
	select {
	case <-ctx.Done():
		return v, context.Cause(ctx)
	case v, ok := <-in:
		if !ok { // whoever closed it too early has failed, and ctx ends with that error
			<-ctx.Done()
			return v, context.Cause(ctx)
		}
		return v, nil
	}
}

func send[T any](ctx context.Context, to chan<- T, v T) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case to <- v:
		return nil
	}
}

// waitFor waits until a channel is closed.
func waitFor(ctx context.Context, done <-chan struct{}) error {
	return forEach(ctx, done, func(struct{}) error { return nil })
}
