package exec

import (
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/broadloom/broadloom/exec/internal/params"
	"github.com/broadloom/broadloom/shapeinfer"
)

// SessionOption changes a session.
type SessionOption func(*Session)

// Seed sets the seed from which parameters' first values come; it is 0 otherwise. Sessions
// that share parameters have the seed of the first of them.
func Seed(seed uint64) SessionOption { return func(s *Session) { s.seed = &seed } }

// Threads bounds the number of threads on which a session computes; without it, it is
// that of the processors that Go uses ([runtime.GOMAXPROCS]). Results are the same for
// every number.
func Threads(n int) SessionOption { return func(s *Session) { s.state.Threads = max(n, 1) } }

// FlushDenormals has kernels take denormal numbers for zeros of the same sign: numbers other than 0 of magnitudes below
// 2^-126 in float32 and bfloat16, 2^-1022 in float64, on which many processors take some hundred cycles for an
// operation. Arithmetic and sums then read none and give none. What only moves or picks numbers may keep those that an
// input has: of Reshape and Where all, of functions that are their argument near 0, such as Sin, many, and of Maximum and
// Relu it depends on the back end. All other bits are the same on all back ends. Denormal numbers of float16 stay, since arithmetic on them is that of float32.
//
// Constants are computed from constants when a program is compiled, by the rules of IEEE 754, as is everything without this
// option. It does nothing on processors other than amd64. The thread of the caller is as before after each run.
func FlushDenormals() SessionOption { return func(s *Session) { s.state.Flushes = true } }

// PrintTo has ops.Print write to w, one call of Write for each value, or nowhere if w is nil; without it, it is standard error. An
// error of w is the run's. Where sessions run at the same time, w must allow for that.
func PrintTo(w io.Writer) SessionOption {
	if w == nil {
		w = io.Discard
	}
	return func(s *Session) { s.state.Print = w }
}

// GuardOperands has a run fail where a Go function, of ops.Callback or of an operation of class [graph.Function], writes its operands: their
// memory is that of other values, of parameters and of what is fed, which are wrong from then on. The [RunError] names the operation, the operand and the
// user's line. Each call then reads its operands twice more. Package gradcheck sets it.
func GuardOperands() SessionOption { return func(s *Session) { s.state.GuardsOperands = true } }

// Size gives a named size, such as one that the shape of no input tells. In every run the
// sizes of the inputs must agree with it: the error of a run tells of one that is missing,
// that contradicts an input, or that the graph does not have.
func Size(name string, v int) SessionOption {
	return func(s *Session) {
		if s.sizes == nil {
			s.sizes = shapeinfer.Sizes{}
		}
		s.sizes[name] = int64(v)
	}
}

// RunOption changes one run of a session.
type RunOption struct {
	name string
	size int64
}

// RunSize gives a named size to one run, as [Size] gives it to all runs of a session; in this run it
// takes the place of the session's. A session keeps what it has prepared for the sizes of its last
// 16 different runs, so that runs of other sizes in turn cost no more than runs of one.
func RunSize(name string, v int) RunOption { return RunOption{name, int64(v)} }

// sizesOf returns the sizes that are given by hand for one run with options.
func (s *Session) sizesOf(opts []RunOption) shapeinfer.Sizes {
	given := shapeinfer.Sizes{}
	maps.Copy(given, s.sizes)
	for _, o := range opts {
		given[o.name] = o.size
	}
	return given
}

// ShareParams uses the parameters of another session, whose program must be of the same
// graph: what one session writes, the other reads. The programs may differ in their
// parameters, as one that trains has those of its optimiser: each parameter is shared as soon
// as both know it. If the other session is nil or of another graph, the error comes from
// each call of this one.
//
// Sessions that share parameters may run on several goroutines at once while none of them
// writes the parameters. A run that updates parameters and [Session.SetParam] must be alone: what
// would come beside them is refused at once with [ErrBusy] and changes nothing. To train and to
// serve at the same time, give each its own parameters and copy them with [Session.Param].
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
		return errors.New("exec: ShareParams is given a nil session")
	case s.lent != nil:
		return errors.New("exec: BorrowParams is given beside ShareParams, whose session has values already: give it to that one")
	case s.from.err != nil:
		return s.from.err
	case s.from.store.Graph != s.prog.source:
		return fmt.Errorf("exec: ShareParams is given a session of graph %q, and this program is of another graph, %q: programs share the parameters of one graph",
			s.from.store.Graph.Name(), s.prog.source.Name())
	case s.seed != nil && *s.seed != s.from.store.Seed:
		return fmt.Errorf("exec: Seed(%d) is given beside ShareParams, and the parameters shared have seed %d", *s.seed, s.from.store.Seed)
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
