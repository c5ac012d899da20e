package engine

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/panicked"
	"github.com/broadloom/broadloom/internal/results"
)

// functionTask is a Go function with all sizes known. Its tiles are examples, or several if the function computes these
// together.
type functionTask struct {
	spec   *lower.FunctionSpec
	batch  []int         // the sizes of the batch's axes
	arrays []graph.Array // the first example of each operand; the result is last
	bytes  []int         // between examples
	whole  []bool        // which operands are the same for all examples
	count  int           // of examples
	tile   int           // examples per call
	cost   int           // an estimate of the time of a run, in nanoseconds
	rank   int           // the number of axes of all arrays

	graph    *graph.Graph // the user's graph
	filled   bool         // checks that the whole result is filled
	verified bool         // always checks whether operands are written
	guards   bool         // checks it in this run
	puts     bool         // the result may be in the memory of the first operand, some of which is written over
	stopped  func() bool  // reports whether the run is to stop, or nil

	mu     sync.Mutex
	failed int // the first example that failed, or -1
	why    error
}

func (b *Specialization) bindFunction(p *Code, spec *lower.FunctionSpec) Launch {
	s := b.newLaunch(p, spec.Operands)
	k := &functionTask{spec: spec, count: 1, graph: spec.Node.Source().Graph(),
		filled: p.verified || spec.Node.Op().IsUsers(), verified: p.verified, puts: rewrite.PutsSlices(spec.Node)}
	for i, o := range spec.Operands {
		shape := b.Shape(o.Layout.Shape)
		at := len(shape) - spec.Core[i]
		a := graph.Array{DType: o.Base.DType(), Shape: shape[at:]}
		k.batch = shape[:at]
		k.arrays, k.bytes = append(k.arrays, a), append(k.bytes, a.NumElements()*a.DType.Size())
		k.whole = append(k.whole, at == 0)
		k.rank += len(a.Shape)
	}
	for _, d := range k.batch {
		k.count *= d
	}
	k.cost = k.count * k.arrays[0].NumElements() * k.arrays[0].DType.Size()
	s.Task = k
	return s
}

func (k *functionTask) SetPointer(operand int, p unsafe.Pointer) { k.arrays[operand].Ptr = p }

func (k *functionTask) Run(s *State) error {
	k.failed, k.guards, k.stopped = -1, k.verified || s.GuardsOperands, s.stopped()
	k.graph.BeginFunctions()
	defer k.graph.EndFunctions()
	s.Ws.arrays.Context, s.Ws.arrays.Print = s.ctx, s.Print
	k.tile = k.together(s.Threads)
	tiles := ceilDiv(k.count, k.tile)
	if s.pays(tiles, k.cost) {
		s.ParallelFor(k, tiles, k.cost)
	} else {
		for i := 0; i < tiles && k.failed < 0 && (k.stopped == nil || !k.stopped()); i++ {
			k.Tile(i, &s.Ws)
		}
	}
	if k.failed < 0 || s.hasStopped() && !errors.Is(k.why, s.ctx.Err()) {
		return nil // what a function lacks that has stopped is no mistake
	}
	where := ""
	if len(k.batch) > 0 {
		where = fmt.Sprintf("batch element %s: ", elementAt(k.batch, k.failed))
	}
	n, message := k.spec.Node, k.why.Error()
	var bad graph.IndexError
	if errors.As(k.why, &bad) && bad.Operand >= 0 && bad.Operand < len(n.Operands()) {
		message = indexMessage(n, n.In(bad.Operand), bad.Shape, bad.At, bad.Value, bad.Size)
	}
	return &FailedCheck{n.Source(), where + message, k.why}
}

const (
	togetherBytes  = 1 << 18 // of the examples of a call, roughly
	togetherFactor = 16      // small examples come in multiples, which fill vectors
	togetherShares = 4       // calls per thread, if there are enough examples
)

// together returns how many examples a call computes.
func (k *functionTask) together(threads int) int {
	if !k.spec.Node.Op().Together {
		return 1
	}
	bytes := max(k.bytes[0], k.bytes[len(k.bytes)-1], 1)
	n := max(togetherBytes/bytes, 1)
	if threads > 1 {
		n = max(min(n, (k.count+togetherShares*threads-1)/(togetherShares*threads)), 1)
	}
	if bytes*togetherFactor <= togetherBytes {
		n = ceilDiv(n, togetherFactor) * togetherFactor
	}
	return n
}

// Tile computes the examples of one call.
func (k *functionTask) Tile(i int, ws *Workspace) {
	i *= k.tile
	if err := k.compute(i, min(k.tile, k.count-i), ws); err != nil {
		k.mu.Lock()
		if k.failed < 0 || i < k.failed {
			k.failed, k.why = i, err
		}
		k.mu.Unlock()
	}
}

// compute calls the function for some examples, and takes its result. The function gets copies of shapes.
func (k *functionTask) compute(first, count int, ws *Workspace) error {
	a, last := &ws.arrays, len(k.arrays)-1
	a.Begin()
	a.StopWhen(k.stopped)
	a.Attrs, a.In, ws.shapes = k.spec.Node.Attrs(), resized(a.In, last), resized(ws.shapes, 2*(k.rank+len(k.arrays)))
	shapes := ws.shapes
	for operand := range last {
		a.In[operand], shapes = k.examples(operand, first, count, shapes)
	}
	a.Out, shapes = k.examples(last, first, count, shapes)
	room, shapes := k.examples(last, first, count, shapes)
	inPlace := k.puts && a.Out.Ptr == a.In[0].Ptr
	if k.filled && !inPlace {
		results.Mark(room)
	}
	ws.read, ws.sums = ws.read[:0], ws.sums[:0]
	if k.guards && !inPlace {
		for operand := range last {
			var x graph.Array
			x, shapes = k.examples(operand, first, count, shapes)
			ws.read = append(ws.read, x)
		}
		ws.sums = results.Sums(ws.sums, ws.read)
	}
	if err := call(k.spec.Node.Op(), a); err != nil || k.stopped != nil && k.stopped() {
		return err
	}
	if operand := results.Written(ws.sums, ws.read); operand >= 0 {
		return k.writes(operand)
	}
	if err := results.Take("its result", a.Out, room); err != nil || !k.filled || inPlace {
		return err
	}
	return results.Filled("its result", room)
}

// writes reports that the function has written an operand.
func (k *functionTask) writes(operand int) error {
	x := k.spec.Node.In(operand).Source()
	return fmt.Errorf(
		"it writes operand %d, %s, whose memory is read elsewhere: write a copy, such as slices.Clone(graph.Elements[%s](a.In[%d]))",
		operand, x.Called(), k.arrays[operand].DType.SliceType().Elem(), operand)
}

// call calls an operation's function. A panic in a user's function becomes an error. One in the library's own code
// stays a panic, unless the operation is ordered, or the run has stopped.
func call(op *graph.Op, a *graph.Arrays) (err error) {
	defer func() {
		v := recover()
		if built, is := v.(*graph.BuiltInRun); is {
			err = built
		} else if _, is := v.(graph.StoppedCall); is {
			err = errStopped
		} else if v != nil {
			if caught := bug.Caught(v); caught.Ours && !op.Ordered {
				panic(caught)
			}
			err = panicked.Error(v)
		}
	}()
	return op.Call(a)
}

// examples returns an operand for some examples. Its shape uses some of room, and the rest of that is returned.
func (k *functionTask) examples(operand, first, count int, room []int) (graph.Array, []int) {
	a := k.arrays[operand]
	n := 0
	if !k.whole[operand] {
		a.Ptr = unsafe.Add(a.Ptr, first*k.bytes[operand])
		if k.spec.Node.Op().Together {
			room[0], n = count, 1
		}
	}
	n += copy(room[n:], a.Shape)
	a.Shape = room[:n:n]
	return a, room[n:]
}
