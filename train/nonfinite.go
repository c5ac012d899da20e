package train

import (
	"context"
	"fmt"
	"math"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// NonFiniteError is the error of a step that made the loss, or a parameter, NaN or infinite.
type NonFiniteError struct {
	Step Step
	Node *graph.Node // the loss, or with Loop.Blame a parameter that was finite before the step
	// Found describes the cause, with Loop.Blame. The session's parameters are then those before the step.
	Found *exec.NonFinite
}

// Error implements error.
func (e *NonFiniteError) Error() string {
	text := fmt.Sprintf("train: %s (%s) is no longer finite in step %d of epoch %d, where the loss is %v",
		e.Node.Called(), e.Node.Pos(), e.Step.Number, e.Step.Epoch, e.Step.Loss)
	if e.Found != nil {
		return text + "\n" + e.Found.String()
	}
	return text +
		": train with Blame to see what made it; a smaller rate, optim.ClipNorm or another form of what overflows may help"
}

// snapshot is a copy of parameters.
type snapshot struct {
	params   []*graph.Node
	values   []exec.Array
	isFinite []bool
}

// snapshot copies the parameters, if Blame asks for that.
func (r *runner) snapshot() (s snapshot, err error) {
	if !r.Blame {
		return s, nil
	}
	if s.params, err = r.Session.Params(); err != nil {
		return s, err
	}
	for _, p := range s.params {
		v, err := r.Session.Param(p)
		if err != nil {
			return s, err
		}
		s.values, s.isFinite = append(s.values, v), append(s.isFinite, allFinite(v.Widened().Data))
	}
	return s, nil
}

// examine looks for numbers that are no longer finite after a step. It then updates the copy of the parameters from
// before the step.
func (r *runner) examine(ctx context.Context, s Step) error {
	var bad *graph.Node
	if math.IsNaN(s.Loss) || math.IsInf(s.Loss, 0) {
		bad = r.Loss
	}
	before := r.before
	after, err := r.snapshot()
	if err != nil {
		return err
	}
	for i := range after.params {
		if bad == nil && before.isFinite[i] && !after.isFinite[i] {
			bad = after.params[i]
		}
	}
	if r.before = after; bad == nil {
		return nil
	}
	e := &NonFiniteError{Step: s, Node: bad}
	if r.Blame {
		for i, p := range before.params {
			if err := r.Session.SetParam(p, before.values[i]); err != nil {
				return err
			}
		}
		if e.Found, err = r.Session.FirstNonFinite(ctx, s.Feed); err != nil {
			return fmt.Errorf("%w\nwhat made it was not found: %w", e, err)
		}
	}
	return e
}

// allFinite reports whether a slice has no NaN and no infinity.
func allFinite(data any) bool {
	switch v := data.(type) {
	case []float32:
		return allFiniteOf(v)
	case []float64:
		return allFiniteOf(v)
	}
	return true
}

func allFiniteOf[T float32 | float64](values []T) bool {
	for _, v := range values {
		if v-v != 0 { // as of infinities and NaN only
			return false
		}
	}
	return true
}
