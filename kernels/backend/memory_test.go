//go:build linux

package backend

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/internal/testkit/rowtest"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

const page = 4096

// fence is memory between two pages that must not be touched.
type fence []byte

func newFence(t *testing.T) fence {
	mem, err := syscall.Mmap(-1, 0, 4*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	require.NoError(t, syscall.Mprotect(mem[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(mem[3*page:], syscall.PROT_NONE))
	t.Cleanup(func() { _ = syscall.Munmap(mem) })
	return fence(mem[page : 3*page])
}

// mixed uses all types: loads, stores, sums and accumulations of each.
func mixed(t *testing.T) *rowprog.Program {
	b := rowprog.NewBuilder("mixed", 1)
	ok := b.Load(b.In("ok", rowprog.Bool, rowprog.Vec))
	for _, typ := range []rowprog.Type{rowprog.F32, rowprog.F64, rowprog.I32, rowprog.I64} {
		x := b.Load(b.In("x", typ, rowprog.Vec))
		y := b.Apply(rowprog.OpSelect, ok, b.Apply(rowprog.OpAdd, x, x), x)
		b.Store(b.Out("y", typ, rowprog.Vec), y)
		b.Accumulate(b.Acc("c", typ, rowprog.Vec, rowprog.Axes(0)), rowprog.Sum, y)
	}
	b.Store(b.Out("no", rowprog.Bool, rowprog.Vec), b.Apply(rowprog.OpNot, ok))
	return build(t, b)
}

// TestNothingBeyondOperandsIsTouched runs on operands that begin or end at a page that faults.
func TestNothingBeyondOperandsIsTouched(t *testing.T) {
	for _, p := range []*rowprog.Program{tanhChain(t), softmax(t), sums(t), mixed(t)} {
		k, err := Compile(p)
		require.NoError(t, err)
		var s Scratch
		fences := make([]fence, len(p.Operands))
		for i := range fences {
			fences[i] = newFence(t)
		}
		for n := 1; n < 70; n++ {
			for _, atEnd := range []bool{false, true} {
				a := launch.New(p)
				a.N, a.Outer[0] = n, 2
				for i, o := range p.Operands {
					bytes := 2 * n * o.Type.Size()
					switch {
					case o.Reduced != 0:
						bytes = n * o.Type.Size()
						a.Stride[i][1] = 1
					case o.Domain == rowprog.Row:
						bytes = 2 * o.Type.Size()
						a.Stride[i][0] = 1
					default:
						a.Stride[i][0], a.Stride[i][1] = n, 1
					}
					clear(fences[i])
					at := 0
					if atEnd {
						at = len(fences[i]) - bytes
					}
					a.Ptr[i] = unsafe.Pointer(&fences[i][at])
				}
				_, ok := k.Run(a, &s)
				require.True(t, ok)
				for i, o := range p.Operands { // what is written stays within the operand
					for j, v := range fences[i] {
						inside := j < 2*n*o.Type.Size()
						if atEnd {
							inside = j >= len(fences[i])-2*n*o.Type.Size()
						}
						if !inside && v != 0 {
							t.Fatalf("%s: operand %s: byte %d of %d rows of %d was written", p.Name, o.Name, j, 2, n)
						}
					}
				}
			}
		}
	}
}

// TestRandomProgramsStayInside runs random programs, with steps of all kinds, on operands that begin or end at a page
// that faults, at any alignment.
func TestRandomProgramsStayInside(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes many mappings")
	}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 8))
		c := rowtest.Bind(r, rowtest.Program(r))
		if seed%4 == 3 {
			c = rowtest.BindBlocks(r, rowtest.Independent(r))
		}
		k, err := Compile(c.Program)
		require.NoError(t, err)
		for _, atEnd := range []bool{false, true} {
			var maps [][]byte
			a := c.Tight(func(bytes int) unsafe.Pointer {
				inside := (bytes + page) &^ (page - 1)
				mem, err := syscall.Mmap(-1, 0, inside+2*page, syscall.PROT_READ|syscall.PROT_WRITE,
					syscall.MAP_ANON|syscall.MAP_PRIVATE)
				require.NoError(t, err)
				require.NoError(t, syscall.Mprotect(mem[:page], syscall.PROT_NONE))
				require.NoError(t, syscall.Mprotect(mem[page+inside:], syscall.PROT_NONE))
				maps = append(maps, mem)
				if atEnd {
					return unsafe.Add(unsafe.Pointer(&mem[page]), inside-bytes)
				}
				return unsafe.Pointer(&mem[page])
			})
			if message := faults(func() { k.Run(a, &Scratch{}) }); message != nil {
				t.Fatalf("seed %d, at the end %v: %v\n%v", seed, atEnd, message, c)
			}
			for _, mem := range maps {
				require.NoError(t, syscall.Munmap(mem))
			}
		}
	}
}

// faults runs f and returns the message of an access to forbidden memory.
func faults(f func()) (message any) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { message = recover() }()
	f()
	return nil
}

// TestNothingBesideInterleavedElementsIsTouched runs on rows of every second element, the last of which is followed by
// a page that faults.
func TestNothingBesideInterleavedElementsIsTouched(t *testing.T) {
	p := pooling(t, rowprog.F32)
	k, err := Compile(p)
	require.NoError(t, err)
	var s Scratch
	x, dx := newFence(t), newFence(t)
	for width := 2; width < 40; width++ {
		const count, height = 2, 3
		elements := 2*count*height*2*width - 1 // but for the last one of odd columns
		y, scale := make([]float32, count*height*width), new(float32)
		from := unsafe.Pointer(&x[len(x)-4*elements])
		a := window(p, from, unsafe.Pointer(&y[0]), unsafe.Pointer(&dx[len(dx)-4*elements]), unsafe.Pointer(scale),
			count, height, width, 0)
		for _, tap := range []int{1, 3} { // the same as their neighbours
			a.Ptr[tap] = a.Ptr[tap-1]
			a.Ptr[6+tap] = unsafe.Pointer(&make([]float32, elements+1)[0])
		}
		_, ok := k.Run(a, &s)
		require.True(t, ok)
	}
}

// TestEqualProgramsGiveEqualCode compiles random programs twice.
func TestEqualProgramsGiveEqualCode(t *testing.T) {
	for seed := range uint64(300) {
		p := rowtest.Program(rand.New(rand.NewPCG(seed, 3)))
		x, err := codegen.Compile(p, codegen.AVX2)
		if err != nil {
			continue
		}
		y, err := codegen.Compile(p, codegen.AVX2)
		require.NoError(t, err)
		require.Equal(t, x.Bytes, y.Bytes, "seed %d", seed)
	}
}

// TestManyGoroutines runs, makes and drops kernels in parallel while garbage is collected.
func TestManyGoroutines(t *testing.T) {
	p := softmax(t)
	shared, err := Compile(p)
	require.NoError(t, err)
	reference, err := interp.Compile(p)
	require.NoError(t, err)
	want := square(p, 50)
	reference.Run(want, &interp.Scratch{})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var s Scratch
			for i := range 60 {
				k := shared
				if i%4 == g%4 {
					k, _ = Compile(p)
				}
				a := square(p, 50)
				k.Run(a, &s)
				for j := range 50 * 50 {
					if *(*float32)(unsafe.Add(a.Ptr[1], 4*j)) != *(*float32)(unsafe.Add(want.Ptr[1], 4*j)) {
						t.Errorf("goroutine %d, call %d: element %d is wrong", g, i, j)
						return
					}
				}
				if i%10 == 0 {
					runtime.GC()
				}
			}
		}()
	}
	wg.Wait()
}
