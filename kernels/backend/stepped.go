package backend

import (
	"slices"
	"sync"

	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Programs whose operands have elements that are 2 or 4 apart, as pooling and slices with a step do, get code of their
// own, which loads these elements where they are. It is made when it is needed first.

// leastStepped is how many elements a row must have: shorter ones are better processed many at once, if they can be, or
// are not worth it.
const (
	leastStepped = 24
	fewStepped   = 4
)

// steppedKernels are the kernels of a program for some steps of its operands. Some have no code, and are nil.
type steppedKernels struct {
	mu   sync.Mutex
	list []steppedKernel
}

type steppedKernel struct {
	steps  []int
	kernel *nativeKernel
}

// suited is the kernel for a call: one of its own if it reads elements that are apart, or else k.
func (k *nativeKernel) suited(a *launch.Args) *nativeKernel {
	inner, apart := len(a.Outer), false
	if a.N < fewStepped || k.isChunked(a) || a.Origin != nil || len(k.accs) > 0 || len(k.rows) > 0 ||
		k.copied.isAll() || k.prog.HasSteps() {
		return k
	}
	for i := range k.prog.Operands {
		o := &k.prog.Operands[i]
		switch step := a.Stride[i][inner]; {
		case o.Domain != rowprog.Vec || step == 1:
		case (step == 2 || step == 4) && o.Access == rowprog.In && o.Type.MayHaveStep():
			apart = true
		default:
			return k
		}
	}
	if !apart || a.N < leastStepped && k.isFlat(a) {
		return k
	}
	if m := k.stepped.find(k.prog, a); m != nil {
		return m
	}
	return k
}

// find returns the kernel for a call's steps, or nil.
func (l *steppedKernels) find(p *rowprog.Program, a *launch.Args) *nativeKernel {
	inner := len(a.Outer)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.list {
		if s.isFor(a, inner) {
			return s.kernel
		}
	}
	s := steppedKernel{steps: make([]int, len(a.Stride))}
	for i := range a.Stride {
		s.steps[i] = a.Stride[i][inner]
	}
	if k, err := Compile(withSteps(p, a)); err == nil {
		s.kernel, _ = k.(*nativeKernel)
	}
	l.list = append(l.list, s)
	return s.kernel
}

// withSteps is the program for the steps of a call.
func withSteps(p *rowprog.Program, a *launch.Args) *rowprog.Program {
	variant := *p
	variant.Operands = slices.Clone(p.Operands)
	for i := range variant.Operands {
		o, step := &variant.Operands[i], a.Stride[i][len(a.Outer)]
		if o.Domain == rowprog.Vec && step != 1 {
			o.Step = step
		}
	}
	return &variant
}

func (s *steppedKernel) isFor(a *launch.Args, inner int) bool {
	for i, step := range s.steps {
		if a.Stride[i][inner] != step {
			return false
		}
	}
	return true
}
