package main

import (
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// batch is the number of inputs of a kernel call.
const batch = 1 << 12

// meter is a function of float32 and its exact values as kernels.
type meter struct {
	op          rowprog.Op
	arity       int
	fast, exact backend.Kernel
}

func newMeter(op rowprog.Op) (*meter, error) {
	m := &meter{op: op, arity: op.Arity()}
	for _, k := range []struct {
		kernel *backend.Kernel
		typ    rowprog.Type
	}{{&m.fast, rowprog.F32}, {&m.exact, rowprog.F64}} {
		b := rowprog.NewBuilder(op.String(), 0)
		x := make([]rowprog.Value, m.arity)
		for i := range x {
			x[i] = b.Convert(b.Load(b.In("x", rowprog.F32, rowprog.Vec)), k.typ)
		}
		b.Store(b.Out("y", k.typ, rowprog.Vec), b.Apply(op, x...))
		p, err := b.Build()
		if err != nil {
			return nil, err
		}
		if *k.kernel, err = backend.Compile(p); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *meter) how() string {
	if m.fast.Machine() && m.exact.Machine() {
		return "machine code"
	}
	return "interpreted"
}

// worker is the memory of one goroutine.
type worker struct {
	*meter
	result
	in      [2][batch]float32
	out     [batch]float32
	want    [batch]float64
	args    [2]*launch.Args
	scratch backend.Scratch
}

func (m *meter) worker() *worker {
	w := &worker{meter: m}
	for i, k := range []backend.Kernel{m.fast, m.exact} {
		a := launch.New(k.Program())
		for o := range a.Ptr {
			a.Stride[o][0] = 1
			a.Ptr[o] = unsafe.Pointer(&w.in[min(o, 1)])
		}
		w.args[i] = a
	}
	w.args[0].Ptr[m.arity], w.args[1].Ptr[m.arity] = unsafe.Pointer(&w.out), unsafe.Pointer(&w.want)
	return w
}

// run measures the inputs whose bits are from, from+step, … below end. They are the seeds of pairs of arguments.
func (w *worker) run(from, end, step uint64) {
	random := rand.New(rand.NewPCG(from, step))
	for bits := from; bits < end; {
		n := 0
		for ; n < batch && bits < end; bits += step {
			if w.in[0][n] = math.Float32frombits(uint32(bits)); w.arity == 2 {
				w.in[0][n], w.in[1][n] = pair(random)
			}
			n++
		}
		for i, k := range []backend.Kernel{w.fast, w.exact} {
			w.args[i].N = n
			k.Run(w.args[i], &w.scratch)
		}
		for i := range n {
			want := w.want[i]
			if w.op == rowprog.OpExpOrZero && w.in[0][i] <= scalar.ExpLeast {
				want = 0 // of float64 only further down
			}
			w.add(w.in[0][i], w.in[1][i], w.out[i], want)
		}
	}
}

// pair draws two arguments: with random bits, or near 1.
func pair(r *rand.Rand) (x, y float32) {
	bits := r.Uint64()
	if bits&1 == 0 {
		return math.Float32frombits(uint32(bits >> 1)), math.Float32frombits(uint32(bits >> 32))
	}
	near := func(b uint64) float32 { return math.Float32frombits(uint32(b)&(1<<31|1<<26-1) | 60<<24) }
	return near(bits >> 1), near(bits >> 32)
}
