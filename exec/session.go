package exec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/exec/internal/params"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// maxBindings is the number of different sizes for which a session keeps bound kernels.
const maxBindings = 16

// ErrBusy is wrapped by the error of a call that conflicts with another goroutine's use of the session, or of
// parameters that it shares with other sessions.
var ErrBusy = params.ErrBusy

// Session runs a program. It holds the parameters and the memory of runs. It serves one goroutine at a time. Many
// sessions of one program may run at once, even if they share parameters ([ShareParams]), as long as they only read
// these. Conflicting calls fail with [ErrBusy].
type Session struct {
	prog     *Program
	err      error // an error in the options, which each call returns
	store    *params.Store
	bindings []*specialized
	state    engine.State
	sizes    shapeinfer.Sizes // given with Size
	given    shapeinfer.Sizes // those of the run, including sizes given with RunSize
	results  Results
	running  atomic.Bool
	readOnly *Session
	seed     *uint64  // given with Seed
	from     *Session // given with ShareParams
	shares   bool
	lent     Feed // given with BorrowParams
}

// NewSession makes a session, with parameters at their initial values. If an option is invalid or the program is nil,
// each call of the session returns an error.
func (p *Program) NewSession(opts ...SessionOption) *Session {
	s := &Session{prog: p}
	if p == nil {
		s.err = errors.New("exec: the program is nil: Compile returned an error")
		return s
	}
	s.state.Threads, s.state.Print = runtime.GOMAXPROCS(0), os.Stderr
	for _, o := range opts {
		if o != nil {
			o(s)
		}
	}
	if s.err = publicError("begin", s.takeParams()); s.err != nil {
		return s
	}
	s.state.Prepare(p.code)
	s.results.s = s
	return s
}

// String names the session's graph.
func (s *Session) String() string {
	if s == nil || s.prog == nil {
		return "session without a program"
	}
	return fmt.Sprintf("session of graph %q", s.prog.source.Name())
}

// Program returns the program that the session runs.
func (s *Session) Program() *Program { return s.prog }

// Run binds the inputs, computes the outputs and performs the updates. The results are valid until the session's next
// run. When the context ends, it stops between kernels, or in the middle of one that takes long and writes no
// parameter; updates performed by then remain. A nil context never ends.
func (s *Session) Run(ctx context.Context, feed Feed, opts ...RunOption) (*Results, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.running.Store(false)
	if len(opts) > 0 {
		s.given = s.sizesOf(opts)
	}
	return s.run(orBackground(ctx), feed)
}

// orBackground returns a context, or one that never ends instead of nil.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// run is Run of a claimed session.
func (s *Session) run(ctx context.Context, feed Feed) (*Results, error) {
	writes := len(s.prog.code.Written) > 0
	if err := s.store.Acquire(writes); err != nil {
		return nil, err
	}
	defer s.store.Release(writes)
	b, err := s.prepareRun(feed)
	if err != nil {
		return nil, err
	}
	if err := s.state.Execute(ctx, b.Specialization); err != nil {
		if _, isBug := err.(*bug.Error); isBug {
			s.bindings = nil // the run may have left them half done
		}
		return nil, publicError("run", err)
	}
	s.results.b = b
	return &s.results, nil
}

// begin claims the session for one call.
func (s *Session) begin() error {
	if s.err != nil {
		return s.err
	}
	if !s.running.CompareAndSwap(false, true) {
		return fmt.Errorf("exec: the session is already running: make a session for each goroutine (%w)", ErrBusy)
	}
	s.given = s.sizes
	return nil
}

// RunWithoutUpdates computes the outputs with the current parameters and does not perform the updates. The outputs are
// those of the program: a training program applies dropout here too. To evaluate, compile a program with another pass
// (nn.Evaluation) and share the parameters.
func (s *Session) RunWithoutUpdates(ctx context.Context, feed Feed, opts ...RunOption) (*Results, error) {
	if s.err == nil && len(s.prog.request.updates) == 0 {
		return s.Run(ctx, feed, opts...)
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.running.Store(false)
	if s.readOnly == nil {
		p, err := s.prog.withoutUpdates()
		if err != nil {
			return nil, err
		}
		s.readOnly = p.NewSession(ShareParams(s), Threads(s.state.Threads))
		s.readOnly.state.Flushes, s.readOnly.state.Print = s.state.Flushes, s.state.Print
		s.readOnly.sizes = s.sizes
	}
	return s.readOnly.Run(ctx, feed, opts...)
}

// prepareRun finds the memory of fed values, and finds or makes the binding for their sizes.
func (s *Session) prepareRun(feed Feed) (*specialized, error) {
	matched := 0
	for i := range s.prog.inputs {
		in, m := &s.prog.inputs[i], &s.state.Fed[i]
		v, fed := feed[in.node]
		if !fed {
			if err := s.whyNeeded(in, feed); err != nil {
				return nil, s.withStrangers(err, feed)
			}
			*m = memory.Value{}
			continue
		}
		matched++
		if err := take(m, v, in.node, in.known, s.given); err != nil {
			return nil, fmt.Errorf("exec: input %s: %w", in.node.Label(), err)
		}
		if m.Dtype != in.node.DType() {
			return nil, fmt.Errorf("exec: input %s needs dtype %s, got %s (declared at %s): %s", in.node.Label(),
				in.node.DType(), m.Dtype, in.node.Pos(), feedAs(in.node.DType(), m.Dtype))
		}
		if in.written && m.Keep != nil {
			return nil, fmt.Errorf(
				"exec: input %s is written in place, but the value fed to it would be copied: feed a slice, an exec.Array or a dense tensor",
				in.node.Label())
		}
	}
	if matched != len(feed) {
		return nil, s.unknownInputs(feed)
	}
	if err := s.checkShared(); err != nil {
		return nil, err
	}
	return s.binding()
}

// checkShared rejects memory that a run writes and also uses as another value: the session's own, which holds results,
// and memory that is written in place and fed to another input. The order of writes and reads assumes that values are
// disjoint.
func (s *Session) checkShared() error {
	own := memory.Value{Dtype: graph.Bool, Ptr: unsafe.Pointer(unsafe.SliceData(s.state.Arena)),
		Count: len(s.state.Arena)}
	for i, in := range s.prog.inputs {
		if in.written {
			if err := s.checkBorrowed(&s.state.Fed[i], in.node); err != nil {
				return err
			}
		}
		if s.state.Fed[i].Meets(&own) {
			return fmt.Errorf(
				"exec: input %s is fed a result of the session's last run, whose memory this run writes: feed a copy, or keep the value in a parameter",
				in.node.Label())
		}
		if !in.written {
			continue
		}
		for k, other := range s.prog.inputs {
			if k != i && s.state.Fed[i].Meets(&s.state.Fed[k]) {
				return fmt.Errorf(
					"exec: input %s is written in place, but the memory fed to it is also fed to %s: feed a copy to one of them",
					in.node.Label(), other.node.Label())
			}
		}
	}
	return nil
}

// specialized is a program with all sizes known, and what was made from its outputs for the caller.
type specialized struct {
	*engine.Specialization
	outputs []output
	given   shapeinfer.Sizes // by hand, because they do not follow from shapes of inputs
}

// bind binds the program to sizes.
func (p *Program) bind(shapes [][]int, sizes shapeinfer.Sizes, threads int) (*specialized, error) {
	made, err := p.code.Specialize(shapes, sizes, threads)
	if err != nil {
		return nil, publicError("bind", err)
	}
	b := &specialized{Specialization: made}
	for i, n := range p.outputs {
		b.outputs = append(b.outputs, output{node: n, storage: p.results[i], shape: made.Shape(n.Shape())})
	}
	return b, nil
}

// withStrangers adds to an error what was fed that is not an input of the program: probably the missing one by a wrong
// name.
func (s *Session) withStrangers(err error, feed Feed) error {
	if strange := s.strangers(feed); strange != "" {
		return fmt.Errorf("%w; %s", err, strange)
	}
	return err
}

// unknownInputs explains why a fed node is not an input of the program.
func (s *Session) unknownInputs(feed Feed) error { return errors.New("exec: " + s.strangers(feed)) }

// strangers lists what is fed and is not an input of the program, or is empty.
func (s *Session) strangers(feed Feed) string {
	var strange []string
	for n := range feed {
		if !slices.ContainsFunc(s.prog.inputs, func(in inputSpec) bool { return in.node == n }) {
			strange = append(strange, s.prog.whyNoInput(n))
		}
	}
	if len(strange) == 0 {
		return ""
	}
	slices.Sort(strange)
	return "fed, but not an input of the program: " + strings.Join(strange, "; ")
}

func (p *Program) whyNoInput(n *graph.Node) string {
	switch {
	case n == nil:
		return "a nil node, which Graph.ByName returns for a name that the graph does not have"
	case n.Graph() != p.source:
		return fmt.Sprintf("%s, which is not a node of graph %q", n.Called(), p.source.Name())
	case n.IsInput():
		return fmt.Sprintf("%s, which was declared (%s) after the program was compiled: compile it again", n.Label(),
			n.Pos())
	case n.IsParam():
		return fmt.Sprintf("%s, a parameter: set it with Session.SetParam", n.Label())
	}
	return fmt.Sprintf("%s, which is computed (%s); declare inputs with Graph.Input", n.Called(), n.Pos())
}

func (s *Session) binding() (*specialized, error) {
	for i, b := range s.bindings {
		if b.Matches(s.state.Fed) && maps.Equal(b.given, s.given) {
			if i > 0 { // latest first
				copy(s.bindings[1:i+1], s.bindings[:i])
				s.bindings[0] = b
			}
			return b, nil
		}
	}
	var inputs []shapeinfer.Bound
	shapes := make([][]int, len(s.state.Fed))
	for i, in := range s.prog.inputs {
		shapes[i] = s.state.Fed[i].Shape
		if s.state.Fed[i].Dtype.Valid() {
			inputs = append(inputs, shapeinfer.Bound{Node: in.node, Shape: shapes[i]})
		}
	}
	sizes, err := shapeinfer.BindProgram(s.prog.source, s.prog.request.roots(), inputs, s.prog.needs, s.given)
	if err != nil {
		return nil, err // it begins with the user's file and line
	}
	b, err := s.prog.bind(shapes, sizes, s.state.Threads)
	if err != nil {
		return nil, err
	}
	b.given = s.given
	s.bindings = slices.Insert(s.bindings, 0, b)
	s.bindings = s.bindings[:min(len(s.bindings), maxBindings)]
	return b, nil
}
