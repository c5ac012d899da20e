package exec

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/pages"
	"github.com/broadloom/broadloom/shapeinfer"
)

// maxBindings is the number of different sizes for which a session keeps its kernels'
// arguments.
const maxBindings = 16

// Session runs a program. It holds the parameters and the memory of runs. It serves one
// goroutine at a time; many sessions of one program may run at once, also such as share
// parameters if they only read them ([ShareParams]). What does not go together is refused
// with [ErrBusy].
type Session struct {
	prog       *Program
	err        error // what is wrong with the options, told by each call
	store      *paramStore
	params     []*paramValue // of the store, in the order of the program's parameters
	consts     []memory
	fed        []memory // of the inputs of the run
	bindings   []*binding
	packed     map[packedKey]any // the weights of products: each a *packedWeight of their type
	arena      []byte
	generation int
	ws         workspace
	job        job
	threads    int
	sizes      shapeinfer.Sizes // given with Size
	results    Results
	running    atomic.Bool
	evalSess   *Session
	seed       *uint64  // given with Seed
	from       *Session // given with ShareParams
	shares     bool
	profile    *Profile // while a profile is taken
}

// NewSession makes a session, with parameters at their first values. What is wrong with the
// options is the error of each call of the session.
func (p *Program) NewSession(opts ...SessionOption) *Session {
	s := &Session{prog: p, packed: map[packedKey]any{}, fed: make([]memory, len(p.inputs)), threads: runtime.GOMAXPROCS(0)}
	for _, o := range opts {
		if o != nil {
			o(s)
		}
	}
	if s.err = s.takeParams(); s.err != nil {
		return s
	}
	for _, n := range p.consts {
		var m memory
		_ = m.setArray(&Array{Shape: wholeShape(n), Data: n.ConstData()}) // the graph has checked it
		s.consts = append(s.consts, m)
	}
	s.ws.scratch.Reserve(p.compiled...)
	s.results.s = s
	return s
}

// Program gives what the session runs.
func (s *Session) Program() *Program { return s.prog }

// wholeShape gives the shape of a node whose sizes are whole numbers.
func wholeShape(n *graph.Node) []int {
	shape, _ := n.Shape().Ints()
	return shape
}

// Run binds the inputs, computes the outputs and carries out the updates. The results
// are valid until the session's next run. It stops between kernels when the context
// ends; updates carried out by then stay. Without a context (nil) it is not stopped.
func (s *Session) Run(ctx context.Context, feed Feed) (*Results, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.running.Store(false)
	return s.run(orBackground(ctx), feed)
}

// orBackground gives a context that never ends in the place of none.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// run is Run of a session that is claimed.
func (s *Session) run(ctx context.Context, feed Feed) (*Results, error) {
	writes := len(s.prog.written) > 0
	if err := s.store.acquire(writes); err != nil {
		return nil, err
	}
	defer s.store.release(writes)
	b, err := s.prepare(feed)
	if err != nil {
		return nil, err
	}
	if err := s.execute(ctx, b); err != nil {
		return nil, err
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
		return fmt.Errorf("exec: the session is running already: make a session for each goroutine (%w)", ErrBusy)
	}
	return nil
}

// Eval computes the outputs without carrying out the updates, with the same parameters.
func (s *Session) Eval(ctx context.Context, feed Feed) (*Results, error) {
	if len(s.prog.request.updates) == 0 {
		return s.Run(ctx, feed)
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.running.Store(false)
	if s.evalSess == nil {
		p, err := s.prog.forEval()
		if err != nil {
			return nil, err
		}
		s.evalSess = p.NewSession(ShareParams(s), Threads(s.threads))
		s.evalSess.sizes = s.sizes
	}
	return s.evalSess.Run(ctx, feed)
}

// prepare finds the memory of what is fed, and finds or makes the binding of its sizes.
func (s *Session) prepare(feed Feed) (*binding, error) {
	matched := 0
	for i := range s.prog.inputs {
		in, m := &s.prog.inputs[i], &s.fed[i]
		v, fed := feed[in.node]
		if !fed {
			if err := s.whyNeeded(in, feed); err != nil {
				return nil, err
			}
			*m = memory{}
			continue
		}
		matched++
		if err := m.set(v, in.node.DType()); err != nil {
			return nil, fmt.Errorf("exec: input %s: %w", in.node.Label(), err)
		}
		if m.dtype != in.node.DType() {
			return nil, fmt.Errorf("exec: input %s wants dtype %s, got %s (declared at %s)", in.node.Label(), in.node.DType(), m.dtype, in.node.Pos())
		}
		if in.written && m.keep != nil {
			return nil, fmt.Errorf("exec: input %s is written in place, and the tensor fed is a view whose elements do not lie together: feed a dense one", in.node.Label())
		}
	}
	if matched != len(feed) {
		return nil, s.strangeFeed(feed)
	}
	if err := s.checkShared(); err != nil {
		return nil, err
	}
	return s.binding()
}

// checkShared refuses memory that a run writes and reads as another value as well: that of
// the session, where results lie, and what is written in place and fed to another input.
// The order of writes and reads was settled for values that are apart.
func (s *Session) checkShared() error {
	own := memory{dtype: graph.Bool, ptr: unsafe.Pointer(unsafe.SliceData(s.arena)), count: len(s.arena)}
	for i, in := range s.prog.inputs {
		if s.fed[i].meets(&own) {
			return fmt.Errorf("exec: input %s is fed a result of the session's last run, whose memory this run writes: feed a copy, or keep the value in a parameter",
				in.node.Label())
		}
		if !in.written {
			continue
		}
		for k, other := range s.prog.inputs {
			if k != i && s.fed[i].meets(&s.fed[k]) {
				return fmt.Errorf("exec: input %s is written in place, and the memory fed to it is also fed to %s: feed a copy to one of them",
					in.node.Label(), other.node.Label())
			}
		}
	}
	return nil
}

// strangeFeed says of what is fed and no input of the program why it is none.
func (s *Session) strangeFeed(feed Feed) error {
	var strange []string
	for n := range feed {
		if !slices.ContainsFunc(s.prog.inputs, func(in inputSpec) bool { return in.node == n }) {
			strange = append(strange, s.prog.whyNoInput(n))
		}
	}
	slices.Sort(strange)
	return fmt.Errorf("exec: fed, but no input of the program: %s", strings.Join(strange, "; "))
}

func (p *Program) whyNoInput(n *graph.Node) string {
	switch {
	case n == nil:
		return "a nil node"
	case n.Graph() != p.source:
		return fmt.Sprintf("%s, which is no node of graph %q", n.Called(), p.source.Name())
	case n.IsInput():
		return fmt.Sprintf("%s, which was declared (%s) after the program was compiled: compile it again", n.Label(), n.Pos())
	case n.IsParam():
		return fmt.Sprintf("%s, a parameter: set it with Session.SetParam", n.Label())
	}
	return fmt.Sprintf("%s, which is computed (%s); inputs are declared with Graph.Input", n.Called(), n.Pos())
}

func (s *Session) binding() (*binding, error) {
	for i, b := range s.bindings {
		if b.fits(s.fed) {
			if i > 0 { // the latest first
				copy(s.bindings[1:i+1], s.bindings[:i])
				s.bindings[0] = b
			}
			return b, nil
		}
	}
	var inputs []shapeinfer.Bound
	shapes := make([][]int, len(s.fed))
	for i, in := range s.prog.inputs {
		shapes[i] = s.fed[i].shape
		if s.fed[i].dtype.Valid() {
			inputs = append(inputs, shapeinfer.Bound{Node: in.node, Shape: shapes[i]})
		}
	}
	sizes, err := shapeinfer.BindProgram(s.prog.source, s.prog.request.roots(), inputs, s.prog.needs, s.sizes)
	if err != nil {
		return nil, err // it begins with the place in the user's program
	}
	b, err := s.prog.newBinding(shapes, sizes, s.threads)
	if err != nil {
		return nil, err
	}
	s.bindings = slices.Insert(s.bindings, 0, b)
	s.bindings = s.bindings[:min(len(s.bindings), maxBindings)]
	return b, nil
}

// execute runs the kernels in order, those of a list as one unless their times are taken.
func (s *Session) execute(ctx context.Context, b *binding) (err error) {
	if len(s.arena) < b.arena {
		s.arena = pages.Make[byte](b.arena)
		s.generation++
	}
	s.point(b)
	s.job.alone = 0
	for _, i := range s.prog.written {
		s.params[i].version++
	}
	i := 0
	defer func() {
		if v := recover(); v != nil {
			s.forget()
			err = newBug("run", s.prog.kernels[b.steps[i].of].of().nodes[0], v)
		}
	}()
	for ; i < len(b.steps); i++ {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("exec: the run was stopped before kernel %d of %d: %w", i+1, len(b.steps), err)
		}
		st := &b.steps[i]
		if s.profile == nil {
			if st.taken {
				continue
			}
			if st.list != nil {
				st.list.Run()
				i += st.list.Len() - 1
				continue
			}
		}
		start := s.profile.start(st.of)
		if err := st.kernel.run(s); err != nil {
			return err
		}
		s.profile.stop(st.of, start)
	}
	return nil
}

// forget drops what a run that ended in a panic may have left half done.
func (s *Session) forget() {
	s.ws, s.bindings = workspace{}, nil
	s.ws.scratch.Reserve(s.prog.compiled...)
	clear(s.packed)
}

// point sets the addresses of the steps' operands: all of them if the arena has moved,
// those of inputs if they lie elsewhere than in the binding's last run.
func (s *Session) point(b *binding) {
	all, moved := b.generation != s.generation, false
	for i := range s.fed {
		if b.fed[i] != s.fed[i].ptr {
			b.fed[i], moved = s.fed[i].ptr, true
		}
	}
	b.generation = s.generation
	if !all && !moved {
		return
	}
	for i := range b.steps {
		if st := &b.steps[i]; all || st.needsIn {
			for operand, pl := range st.operands {
				st.kernel.point(operand, s.pointer(b, pl))
			}
		}
	}
}

// share computes the tiles of a task on the session's threads. cost is an estimate of
// the whole work in nanoseconds.
func (s *Session) share(t task, tiles, cost int) {
	s.job.task, s.job.tiles = t, int64(tiles)
	s.job.share(s.threads, cost, &s.ws)
}
