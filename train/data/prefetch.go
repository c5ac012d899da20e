package data

import (
	"context"
	"fmt"
	"iter"

	"github.com/broadloom/broadloom/internal/panicked"
)

// prefetch yields the values of made, while up to ahead more are made in the background. The goroutine that makes them
// has ended when the loop over it ends. A panic there is raised again in the goroutine of the loop, where the program
// can recover from it.
func prefetch[V any](ctx context.Context, ahead int, made func(context.Context) iter.Seq2[V, error]) iter.Seq2[V,
	error] {
	type pair struct {
		value V
		err   error
	}
	return func(yield func(V, error) bool) {
		inner, stop := context.WithCancel(ctx)
		pairs := make(chan pair, ahead-1) // one more waits in the goroutine
		var failed error                  // of a panic
		go func() {
			defer close(pairs)
			defer func() {
				if v := recover(); v != nil {
					failed = fmt.Errorf("data: making a batch %w", panicked.Error(v))
				}
			}()
			for v, err := range made(inner) {
				select {
				case pairs <- pair{v, err}:
				case <-inner.Done():
					return
				}
			}
		}()
		defer func() {
			stop()
			for range pairs { // until the goroutine has ended
			}
		}()
		for p := range pairs {
			if err := context.Cause(ctx); err != nil {
				p = pair{err: err}
			}
			if !yield(p.value, p.err) || p.err != nil {
				return
			}
		}
		if failed != nil {
			panic(failed)
		}
		if err := context.Cause(ctx); err != nil { // the goroutine saw it first, and said nothing
			var none V
			yield(none, err)
		}
	}
}
