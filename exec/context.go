package exec

import (
	"context"
	"fmt"

	"github.com/broadloom/broadloom/exec/internal/rewrite"
)

// Context makes [Compile] stop when a context ends, within milliseconds of most passes, and return the context's error.
// The program does not keep it: [Session.Run] has a context of its own. A nil context never ends.
func Context(ctx context.Context) Option { return func(r *request) { r.ctx = orBackground(ctx) } }

// stopped is the error of a compilation whose context has ended before a pass, or in it; nil if it has not.
func (r *request) stopped(before, pass string) error {
	if err := r.ctx.Err(); err != nil {
		return fmt.Errorf("exec: the compilation was stopped %s pass %s: %w", before, pass, err)
	}
	return nil
}

// asked is what passes ask, once in many nodes; nil if the context cannot end.
func (r *request) asked() func() bool {
	if r.ctx.Done() == nil {
		return nil
	}
	return func() bool { return r.ctx.Err() != nil }
}

// isStop reports whether a pass has panicked because the context has ended.
func isStop(panicked any) bool {
	_, is := panicked.(rewrite.Stop)
	return is
}
