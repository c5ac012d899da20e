package fourier

import (
	"sync"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/cpu"
)

//go:generate go run ./gen

// plan is the precomputed data for the transforms of a length.
type plan[T float] struct {
	length  int
	real    bool            // of real numbers: half as many complex ones are transformed where the length is even
	complex sequence[T]     // of the numbers that are transformed, where that is smooth
	mirror  []T             // factors for real numbers, by place
	long    *long[T]        // of neighbours, where they are many
	cyclic  *convolution[T] // where the length is not smooth
	workers sync.Pool       // of *worker[T]
}

// points is how many complex numbers are transformed.
func (p *plan[T]) points() int {
	if p.halved() {
		return p.length / 2
	}
	return p.length
}

// halved reports whether real numbers are treated as half as many complex ones.
func (p *plan[T]) halved() bool { return p.real && p.length%2 == 0 }

func newPlan[T float](poller Poller, n int, real bool) *plan[T] {
	p := &plan[T]{length: n, real: real}
	p.workers.New = func() any { return &worker[T]{loops: loopsOf[T]()} }
	points := p.points()
	if !isSmooth(points) {
		p.cyclic = newConvolution[T](poller, n)
		return p
	}
	p.complex = newSequence[T](poller, points)
	if p.halved() {
		p.mirror = mirrorFactors[T](poller, n, points/2+1)
	}
	if !real || p.halved() {
		p.long = newLong[T](poller, points, p.halved())
	}
	return p
}

// mirrorFactors are half of exp(-2πi·k/n) for the first places k.
func mirrorFactors[T float](poller Poller, n, count int) (list []T) {
	for k := range count {
		poll(poller, rootCost)
		re, im := root(k, n)
		list = append(list, T(re/2), T(im/2))
	}
	return list
}

// worker is the memory of a goroutine that transforms.
type worker[T float] struct {
	loops         *loops
	steps         stepArgs
	moves         moveArgs
	first, second elements[T]
	middle        elements[T] // of a long transform
	ahead, behind elements[T] // of one of real numbers
	numbers       []T         // of one of real numbers
	of            []int       // where the numbers of each lane begin
	wide          []T         // of a convolution
	poller        Poller
}

// rootCost is how many elements take the time of a root of unity.
const rootCost = 16

func (w *worker[T]) poll(elements int) { poll(w.poller, elements) }

func poll(p Poller, elements int) {
	if p != nil {
		p.Poll(elements)
	}
}

// elements are memory that is aligned to a cache line.
type elements[T float] []T

// room returns memory for n numbers.
func (e *elements[T]) room(n int) unsafe.Pointer {
	lanes := lanesOf[T]()
	if want := (2*n + 1) * lanes; len(*e) < want {
		*e = make([]T, want)
	}
	p := unsafe.Pointer(unsafe.SliceData(*e))
	return unsafe.Add(p, -int(uintptr(p))&(partBytes-1))
}

// loopsOf are the loops in use for a type.
func loopsOf[T float]() *loops { return current[partBytes/4/lanesOf[T]()-1] }

// current are the loops in use, for float32 and float64.
var current = ofMachine[cpu.Chosen()]

// mostLengths bounds the lengths whose plans are kept.
const mostLengths = 64

// plans caches the plan of each length.
type plans[T float] struct {
	mu       sync.Mutex
	byLength [2]map[int]*plan[T] // of complex numbers and of real ones
}

var (
	plansOf32 plans[float32]
	plansOf64 plans[float64]
)

// of returns the plan of a length. If two goroutines compute it at once, the results are the same.
func (p *plans[T]) of(poller Poller, n int, real bool) *plan[T] {
	kind := 0
	if real {
		kind = 1
	}
	p.mu.Lock()
	made := p.byLength[kind][n]
	p.mu.Unlock()
	if made != nil {
		return made
	}
	made = newPlan[T](poller, n, real)
	p.mu.Lock()
	defer p.mu.Unlock()
	if of := &p.byLength[kind]; *of == nil || len(*of) >= mostLengths {
		*of = map[int]*plan[T]{}
	}
	p.byLength[kind][n] = made
	return made
}

// planOf returns the plan of transforms of numbers of a type.
func planOf[T float](poller Poller, n int, real bool) *plan[T] {
	if p, is := any(&plansOf32).(*plans[T]); is {
		return p.of(poller, n, real)
	}
	return any(&plansOf64).(*plans[T]).of(poller, n, real)
}
