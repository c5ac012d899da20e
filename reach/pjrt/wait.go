package pjrt

import "context"

// within does work, which cannot be interrupted, and returns early if the context ends. The work then continues in the
// background, and drop frees its result.
func within[T any](ctx context.Context, work func() (T, error), drop func(T)) (T, error) {
	if ctx.Done() == nil {
		return work()
	}
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		go func() {
			if o := <-done; o.err == nil {
				drop(o.value)
			}
		}()
		var zero T
		return zero, context.Cause(ctx)
	}
}
