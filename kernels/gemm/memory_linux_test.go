package gemm

import (
	"math/rand/v2"
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// fence is memory between two pages on which every access faults.
type fence []byte

func newFence(t *testing.T, bytes int) fence {
	page := os.Getpagesize()
	size := roundUp(bytes, page)
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	require.NoError(t, syscall.Mprotect(mem[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(mem[page+size:], syscall.PROT_NONE))
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(mem)) })
	return fence(mem[page : page+size])
}

// protect allows writing, or only reading.
func (f fence) protect(t *testing.T, protection int) {
	require.NoError(t, syscall.Mprotect(f, protection))
}

// put copies data to the end or to the beginning of the memory.
func put[T scalar.Number](f fence, data []T, atEnd bool) []T {
	bytes := len(data) * int(unsafe.Sizeof(data[0]))
	at := 0
	if atEnd {
		at = len(f) - bytes
	}
	inside := unsafe.Slice((*T)(unsafe.Pointer(&f[at])), len(data))
	copy(inside, data)
	return inside
}

// TestNothingBeyondOperandsIsTouched multiplies matrices that fit exactly between pages that fault. A and B are
// read-only.
func TestNothingBeyondOperandsIsTouched(t *testing.T) {
	const most = 40
	sizes := [][3]int{{1, 1000, 300}, {300, 1, 1000}, {49, 65, 700}, {14, 33, 513}, {100, 100, 100}, {6, 576, 25}}
	step := 3
	if testing.Short() {
		step = 13
	}
	for m := 1; m <= most; m += step {
		for n := 1; n <= most; n += 2 {
			sizes = append(sizes, [3]int{m, n, 1 + (m*31+n*17)%most})
		}
	}
	t.Run("float32", func(t *testing.T) { fenced[float32](t, sizes) })
	t.Run("float64", func(t *testing.T) { fenced[float64](t, sizes) })
}

func fenced[T scalar.Number](t *testing.T, sizes [][3]int) {
	r := rand.New(rand.NewPCG(13, 14))
	from := values[T](r, 0)
	var fences [3]fence
	for i := range fences {
		fences[i] = newFence(t, 8<<20)
	}
	var s Scratch[T]
	for _, size := range sizes {
		for _, atEnd := range []bool{false, true} {
			p := draw(r, size[0], size[1], size[2], from)
			p.A.Data, p.B.Data, p.C.Data = put(fences[0], p.A.Data, atEnd), put(fences[1], p.B.Data, atEnd),
				put(fences[2], p.C.Data, atEnd)
			want := expected(t, p)
			fences[0].protect(t, syscall.PROT_READ)
			fences[1].protect(t, syscall.PROT_READ)
			runFenced(t, p, &s)
			fences[0].protect(t, syscall.PROT_READ|syscall.PROT_WRITE)
			fences[1].protect(t, syscall.PROT_READ|syscall.PROT_WRITE)
			requireBits(t, want, p)
		}
	}
}

// runFenced turns a fault into a test failure that describes the product.
func runFenced[T scalar.Number](t *testing.T, p *Product[T], s *Scratch[T]) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			t.Fatalf("%d×%d×%d, A %d %d, B %d %d, C %d %d: %v", p.M, p.N, p.K, p.A.Row, p.A.Col, p.B.Row, p.B.Col,
				p.C.Row, p.C.Col, fault)
		}
	}()
	p.Run(s)
}

// TestEpiloguesStayWithinOperands has machine code continue with tiles of products whose operands fit exactly between
// pages that fault.
func TestEpiloguesStayWithinOperands(t *testing.T) {
	f32, f64 := finishers(t)
	t.Run("float32", func(t *testing.T) { finishFenced(t, f32) })
	t.Run("float64", func(t *testing.T) { finishFenced(t, f64) })
}

func finishFenced[T scalar.Number](t *testing.T, f *finisher[T]) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var fences [finishY + 1]fence
	for i := range fences {
		fences[i] = newFence(t, 1<<20)
	}
	r := rand.New(rand.NewPCG(21, 22))
	var s Scratch[T]
	_, cols := Tile[T]()
	for _, size := range [][3]int{{3, cols, 3}, {40, cols, 3}, {61, 3 * cols, 20}, {61, 3*cols + 2, 300},
		{300, 4 * cols, 5}} {
		for _, atEnd := range []bool{false, true} {
			f.place = func(operand int, data []T) []T { return put(fences[operand], data, atEnd) }
			p := draw(r, size[0], size[1], size[2], f.from)
			p.C.Row, p.C.Col, p.C.Start = p.N, 1, 0
			p.C.Data = f.place(finishC, make([]T, p.M*p.N))
			f.requireFinished(t, p, r, &s)
		}
	}
}
