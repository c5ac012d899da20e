package exec

import (
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/broadloom/broadloom/exec/internal/params"
	"github.com/broadloom/broadloom/shapeinfer"
)

// SessionOption is an option of [Program.NewSession].
type SessionOption func(*Session)

// Seed sets the seed for the initial values of parameters; the default is 0. Sessions that share parameters use the
// seed of the first of them.
func Seed(seed uint64) SessionOption { return func(s *Session) { s.seed = &seed } }

// Threads limits the number of threads on which a session computes; the default is [runtime.GOMAXPROCS]. Results are
// the same for every number.
func Threads(n int) SessionOption { return func(s *Session) { s.state.Threads = max(n, 1) } }

// FlushDenormals makes kernels treat denormal numbers as zeros of the same sign: nonzero numbers below 2^-126 in
// magnitude in float32 and bfloat16, and below 2^-1022 in float64, on which many processors take a hundred cycles or
// more for an operation. Arithmetic and sums then neither read nor produce any. Operations that only move or select
// numbers may keep those of an input: Reshape and Where keep all, functions such as Sin, which equal their argument
// near 0, keep many, and for Maximum and Relu it depends on the back end. All other bits are the same on all back ends.
// Denormal numbers of float16 are kept, since they are computed in float32.
//
// Constant expressions are evaluated at compile time by the rules of IEEE 754, with or without this option. It has no
// effect on processors other than amd64. The caller's thread is restored after each run.
func FlushDenormals() SessionOption { return func(s *Session) { s.state.Flushes = true } }

// PrintTo makes ops.Print write to w, with one call of Write per value, or nowhere if w is nil; the default is standard
// error. An error of w ends the run. If several sessions run at the same time, w must be safe for concurrent use.
func PrintTo(w io.Writer) SessionOption {
	if w == nil {
		w = io.Discard
	}
	return func(s *Session) { s.state.Print = w }
}

// GuardOperands makes a run fail if a Go function, of ops.Callback or of an operation of class [graph.Function], writes
// its operands, whose memory may belong to other values, parameters or inputs. The [RunError] names the operation, the
// operand and the user's line. Each call then reads its operands twice more. Package gradcheck sets it.
func GuardOperands() SessionOption { return func(s *Session) { s.state.GuardsOperands = true } }

// Size sets a named size, such as one that no input's shape determines. In every run the sizes of the inputs must agree
// with it: a run returns an error for a size that is missing, contradicts an input, or does not exist in the graph.
func Size(name string, v int) SessionOption {
	return func(s *Session) {
		if s.sizes == nil {
			s.sizes = shapeinfer.Sizes{}
		}
		s.sizes[name] = int64(v)
	}
}

// RunOption is an option of one run of a session.
type RunOption struct {
	name string
	size int64
}

// RunSize sets a named size for one run, as [Size] does for all runs of a session; in this run it overrides the
// session's. A session caches its preparations for the last 16 different sets of sizes, so alternating between sizes
// costs no more than runs of one size.
func RunSize(name string, v int) RunOption { return RunOption{name, int64(v)} }

// sizesOf returns the sizes that are set explicitly for one run with options.
func (s *Session) sizesOf(opts []RunOption) shapeinfer.Sizes {
	given := shapeinfer.Sizes{}
	maps.Copy(given, s.sizes)
	for _, o := range opts {
		given[o.name] = o.size
	}
	return given
}

// ShareParams uses the parameters of another session, whose program must be of the same graph: what one session writes,
// the other reads. The programs may have different parameters, such as the optimiser's in a training program: each
// parameter that both have is shared. If the other session is nil or of another graph, each call of this one returns an
// error.
//
// Sessions that share parameters may run on several goroutines at once while none of them writes the parameters. A run
// that updates parameters, and [Session.SetParam], need exclusive access: conflicting calls fail at once with [ErrBusy]
// and change nothing. To train and serve at the same time, give each session its own parameters and copy them with
// [Session.Param].
func ShareParams(from *Session) SessionOption {
	return func(s *Session) { s.from, s.shares = from, true }
}

// takeParams finds or makes the values of the program's parameters.
func (s *Session) takeParams() error {
	switch {
	case !s.shares:
		s.store = &params.Store{Graph: s.prog.source}
		if s.seed != nil {
			s.store.Seed = *s.seed
		}
	case s.from == nil:
		return errors.New("exec: ShareParams got a nil session")
	case s.lent != nil:
		return errors.New(
			"exec: BorrowParams is combined with ShareParams, whose session already has values: pass it to that session")
	case s.from.err != nil:
		return s.from.err
	case s.from.store.Graph != s.prog.source:
		return fmt.Errorf(
			"exec: ShareParams got a session of graph %q, but this program belongs to graph %q: only programs of the same graph can share parameters",
			s.from.store.Graph.Name(), s.prog.source.Name())
	case s.seed != nil && *s.seed != s.from.store.Seed:
		return fmt.Errorf("exec: Seed(%d) is combined with ShareParams, but the shared parameters have seed %d",
			*s.seed, s.from.store.Seed)
	default:
		s.store = s.from.store
	}
	s.from = nil
	borrowed, copied, err := s.borrowed()
	if err != nil {
		return err
	}
	s.state.Store = s.store
	if s.state.Params, err = s.store.Join(s.prog.params, borrowed); err != nil {
		return err
	}
	return s.ownWritten(copied)
}
