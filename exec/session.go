package exec

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// maxBindings is the number of different sizes for which a session keeps its kernels'
// arguments.
const maxBindings = 16

// Session runs a program. It holds the parameters and the memory of runs. It serves one
// goroutine at a time; many sessions of one program may run at once.
type Session struct {
	prog       *Program
	store      *paramStore
	consts     []memory
	fed        []memory
	slots      []scalarSlot
	shapes     [][]int
	bindings   []*binding
	arena      []byte
	generation int
	ws         workspace
	job        job
	threads    int
	results    Results
	running    atomic.Bool
	evalSess   *Session
	seed       uint64
	profile    *Profile // while a profile is taken
}

// paramStore holds parameters' values; sessions may share it.
type paramStore struct {
	nodes  []*graph.Node
	memory []memory
}

// SessionOption changes a session.
type SessionOption func(*Session)

// Seed sets the seed from which parameters' first values come; it is 0 otherwise.
func Seed(seed uint64) SessionOption { return func(s *Session) { s.seed = seed } }

// Threads bounds the number of threads on which a session computes; without it, it is
// that of the processors that Go uses ([runtime.GOMAXPROCS]). Results are the same for
// every number.
func Threads(n int) SessionOption { return func(s *Session) { s.threads = max(n, 1) } }

// ShareParams uses the parameters of another session, whose program must be of the same
// graph. The two sessions must then not run at once.
func ShareParams(from *Session) SessionOption {
	return func(s *Session) {
		if from != nil && slices.Equal(from.prog.params, s.prog.params) {
			s.store = from.store
		}
	}
}

// NewSession makes a session, with parameters at their first values.
func (p *Program) NewSession(opts ...SessionOption) *Session {
	s := &Session{prog: p, fed: make([]memory, len(p.inputs)), slots: make([]scalarSlot, len(p.inputs)), shapes: make([][]int, len(p.inputs)),
		threads: runtime.GOMAXPROCS(0)}
	for _, o := range opts {
		o(s)
	}
	if s.store == nil {
		s.store = newParamStore(p.params, s.seed)
	}
	for _, n := range p.consts {
		m, _ := fromArray(arrayOf(n.Shape(), n.ConstData()))
		s.consts = append(s.consts, m)
	}
	s.ws.scratch.Reserve(p.compiled...)
	s.results.s = s
	return s
}

func arrayOf(s graph.Shape, data any) Array {
	shape, _ := s.Ints()
	return Array{Shape: shape, Data: data}
}

func newParamStore(params []*graph.Node, seed uint64) *paramStore {
	st := &paramStore{nodes: params}
	for _, n := range params {
		shape, _ := n.Shape().Ints()
		count := 1
		for _, d := range shape {
			count *= d
		}
		data := makeSlice(n.DType(), count)
		if init := n.Attrs().(graph.ParamAttrs).Init; init != nil {
			h := fnv.New64a()
			h.Write([]byte(n.Name()))
			init.Fill(data, shape, seed^h.Sum64())
		}
		m, _ := fromArray(Array{Shape: shape, Data: data})
		m.keep = data
		st.memory = append(st.memory, m)
	}
	return st
}

func makeSlice(t graph.DType, n int) any {
	switch t {
	case graph.Bool:
		return make([]bool, n)
	case graph.Int32:
		return make([]int32, n)
	case graph.Int64:
		return make([]int64, n)
	case graph.Float32:
		return make([]float32, n)
	}
	return make([]float64, n)
}

// Run binds the inputs, computes the outputs and carries out the updates. The results
// are valid until the session's next run. It stops between kernels when the context
// ends; updates carried out by then stay.
func (s *Session) Run(ctx context.Context, feed Feed) (*Results, error) {
	if !s.running.CompareAndSwap(false, true) {
		return nil, errors.New("exec: the session is running already: make a session for each goroutine")
	}
	defer s.running.Store(false)
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

// Eval computes the outputs without carrying out the updates, with the same parameters.
func (s *Session) Eval(ctx context.Context, feed Feed) (*Results, error) {
	if len(s.prog.request.updates) == 0 {
		return s.Run(ctx, feed)
	}
	if s.evalSess == nil {
		p, err := s.prog.forEval()
		if err != nil {
			return nil, err
		}
		s.evalSess = p.NewSession(ShareParams(s), Threads(s.threads))
	}
	return s.evalSess.Run(ctx, feed)
}

// prepare resolves what is fed and finds or makes the binding of its sizes.
func (s *Session) prepare(feed Feed) (*binding, error) {
	matched := 0
	for i := range s.prog.inputs {
		in := &s.prog.inputs[i]
		v, fed := feed[in.node]
		if fed {
			matched++
		} else if in.needed {
			return nil, fmt.Errorf("exec: input %s is not fed; it is %s%s, declared at %s", in.node.Label(), in.node.DType(), in.node.Shape(), in.node.Pos())
		} else {
			s.fed[i], s.shapes[i] = memory{}, nil
			continue
		}
		m, err := s.slots[i].resolve(v, in.node.DType())
		if err != nil {
			return nil, fmt.Errorf("exec: input %s: %w", in.node.Label(), err)
		}
		if m.dtype != in.node.DType() {
			return nil, fmt.Errorf("exec: input %s wants dtype %s, got %s (declared at %s)", in.node.Label(), in.node.DType(), m.dtype, in.node.Pos())
		}
		if in.written && m.keep != nil {
			return nil, fmt.Errorf("exec: input %s is written in place, and the tensor fed is a view whose elements do not lie together: feed a dense one", in.node.Label())
		}
		s.fed[i], s.shapes[i] = m, m.shape
	}
	if matched != len(feed) {
		return nil, s.strangeFeed(feed)
	}
	return s.binding()
}

func (s *Session) strangeFeed(feed Feed) error {
	var strange []string
	for n := range feed {
		if !slices.ContainsFunc(s.prog.inputs, func(in inputSpec) bool { return in.node == n }) {
			strange = append(strange, n.Label())
		}
	}
	slices.Sort(strange)
	return fmt.Errorf("exec: %v fed, but no input of graph %q; its inputs are declared with Graph.Input", strange, s.prog.source.Name())
}

func (s *Session) binding() (*binding, error) {
	for i, b := range s.bindings {
		if slices.EqualFunc(b.shapes, s.shapes, slices.Equal) {
			if i > 0 { // the latest first
				copy(s.bindings[1:i+1], s.bindings[:i])
				s.bindings[0] = b
			}
			return b, nil
		}
	}
	var inputs []shapeinfer.Bound
	for i, in := range s.prog.inputs {
		if s.fed[i].dtype.Valid() {
			inputs = append(inputs, shapeinfer.Bound{Node: in.node, Shape: s.shapes[i]})
		}
	}
	sizes, err := shapeinfer.Bind(s.prog.source, inputs, s.prog.needs)
	if err != nil {
		return nil, err // it begins with the place in the user's program
	}
	b, err := s.prog.newBinding(s.shapes, sizes)
	if err != nil {
		return nil, err
	}
	s.bindings = slices.Insert(s.bindings, 0, b)
	s.bindings = s.bindings[:min(len(s.bindings), maxBindings)]
	return b, nil
}

// execute runs the kernels in order.
func (s *Session) execute(ctx context.Context, b *binding) error {
	if len(s.arena) < b.arena {
		s.arena = alignedBytes(b.arena)
		s.generation++
	}
	all := b.generation != s.generation
	b.generation = s.generation
	for i := range b.steps {
		st := &b.steps[i]
		if all || st.needsIn {
			s.point(b, st)
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("exec: the run was stopped before kernel %d of %d: %w", i+1, len(b.steps), err)
		}
		start := s.profile.start(st.of)
		if err := st.kernel.run(s); err != nil {
			return err
		}
		s.profile.stop(st.of, start)
	}
	return nil
}

// share computes the tiles of a task on the session's threads. cost is an estimate of
// the whole work in nanoseconds.
func (s *Session) share(t task, tiles, cost int) {
	s.job.task, s.job.tiles = t, int64(tiles)
	s.job.share(s.threads, cost, &s.ws)
}

// point sets the addresses of a step's operands.
func (s *Session) point(b *binding, st *step) {
	for i, pl := range st.operands {
		st.kernel.point(i, s.pointer(b, pl))
	}
}
