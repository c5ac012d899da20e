//go:build linux

package backend

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/bind"
	"github.com/broadloom/broadloom/kernels/internal/rowtest"
	"github.com/broadloom/broadloom/kernels/lower"
	"github.com/broadloom/broadloom/kernels/portable"
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

// TestNothingBeyondOperandsIsTouched runs on operands that begin or end at a page which
// faults.
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
				a := bind.New(p)
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

// TestEqualProgramsGiveEqualCode compiles random programs twice.
func TestEqualProgramsGiveEqualCode(t *testing.T) {
	for seed := range uint64(300) {
		p := rowtest.Program(rand.New(rand.NewPCG(seed, 3)))
		x, err := lower.Compile(p, lower.AVX2)
		if err != nil {
			continue
		}
		y, err := lower.Compile(p, lower.AVX2)
		require.NoError(t, err)
		require.Equal(t, x.Bytes, y.Bytes, "seed %d", seed)
	}
}

// TestManyGoroutines runs, makes and drops kernels at once while garbage is collected.
func TestManyGoroutines(t *testing.T) {
	p := softmax(t)
	shared, err := Compile(p)
	require.NoError(t, err)
	reference, err := portable.Compile(p)
	require.NoError(t, err)
	want := square(p, 50)
	reference.Run(want, &portable.Scratch{})
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
