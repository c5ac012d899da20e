package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// integers are integers of a type, as bytes and as numbers.
type integers struct {
	factor Factor
	values []int32
}

// randomIntegers makes n integers, often the least and the greatest of the type.
func randomIntegers(r *rand.Rand, t Type, n int) integers {
	least, most := []int64{-1 << 31, -128, 0, -1 << 15, 0}[t], []int64{1<<31 - 1, 127, 255, 1<<15 - 1, 1<<16 - 1}[t]
	bytes := make([]byte, max(n, 1)*typeSizes[t]+8)
	x := integers{Factor{Type: t, Data: unsafe.Pointer(&bytes[0]), Len: n}, make([]int32, n)}
	for i := range x.values {
		v := least + r.Int64N(most-least+1)
		switch r.IntN(4) {
		case 0:
			v = least
		case 1:
			v = most
		}
		x.values[i] = int32(v)
		store(x.factor.at(i), typeSizes[t], int32(v))
	}
	return x
}

// dotCase is a product of integers.
type dotCase struct {
	m, n, k        int
	layoutA, laysB int
	add            bool
	strideC        int
	windows        bool
}

// check compares a product with plain loops.
func (c dotCase) check(t *testing.T, r *rand.Rand, typeA, typeB Type) {
	t.Helper()
	m, n, k := c.m, c.n, c.k
	lay := func(layout, rows, cols int) (x Matrix[int32], size int) {
		switch layout {
		case 0:
			x.Row, x.Col = cols, 1
		case 1:
			x.Row, x.Col = 1, rows
		case 2:
			x.Start, x.Row, x.Col = 1, 2*cols+1, 2
		default:
			x.Start, x.Row, x.Col = max(rows*cols-1, 0), -cols, -1
		}
		return x, x.Start + max(rows-1, 0)*max(x.Row, 0) + max(cols-1, 0)*max(x.Col, 0) + 1
	}
	p := Product[int32]{M: m, N: n, K: k, Add: c.add}
	var sizeA, sizeB int
	p.A, sizeA = lay(c.layoutA, m, k)
	p.B, sizeB = lay(c.laysB, k, n)
	if c.windows { // of an image of a few rows
		rows, cols := make([]int, k), make([]int, n)
		const width = 23
		for i := range rows {
			rows[i] = i / 9 * 2 * width * width
			rows[i] += i%9/3*width + i%3
			sizeB = max(sizeB, rows[i])
		}
		for j := range cols {
			cols[j] = j/20*width + j%20
			if n%3 == 0 { // every other place
				cols[j] = j/8*width + j%8*2
			}
		}
		sizeB += n/8*width + 40
		p.B = Matrix[int32]{}
		p.SetOffsets(rows, cols)
	}
	a, b := randomIntegers(r, typeA, sizeA), randomIntegers(r, typeB, sizeB)
	p.A.Data, p.B.Data = a.values, b.values
	if typeA != Own {
		p.A.Data, p.FactorA = nil, a.factor
	}
	if typeB != Own {
		p.B.Data, p.FactorB = nil, b.factor
	}
	p.C = Matrix[int32]{Data: make([]int32, m*n*c.strideC+1), Row: n * c.strideC, Col: c.strideC}
	want := make([]int32, len(p.C.Data))
	for i := range want {
		want[i] = int32(i) * 77
	}
	copy(p.C.Data, want)
	require.NoError(t, p.Check())
	for i := range m {
		for j := range n {
			at := (i*n + j) * c.strideC
			if !c.add {
				want[at] = 0
			}
			for l := range k {
				x := a.values[p.A.Start+i*p.A.Row+l*p.A.Col]
				y := p.B.Start + l*p.B.Row + j*p.B.Col
				if c.windows {
					y = p.Offsets.Rows[l] + p.Offsets.Cols[j]
				}
				want[at] += x * b.values[y]
			}
		}
	}
	var s Scratch[int32]
	p.RunPart(0, m/2, 0, n, &s)
	p.RunPart(m/2, m, 0, n/3, &s)
	p.RunPart(m/2, m, n/3, n, &s)
	require.Equal(t, want, p.C.Data, "%+v of types %d and %d", c, typeA, typeB)
	if p.Packed = make([]int32, p.PackedLen()); len(p.Packed) == 0 || c.add {
		return
	}
	p.PackB(p.Packed, &s)
	p.RunPart(0, m/2, 0, n, &s)
	clear(p.B.Data) // is not read
	if typeB != Own {
		p.FactorB.Data = unsafe.Pointer(unsafe.SliceData(make([]byte, sizeB*typeSizes[typeB])))
	}
	p.Run(&s)
	require.Equal(t, want, p.C.Data, "%+v of types %d and %d, packed", c, typeA, typeB)
}

// Products of integers of all types are exact modulo 2^32, on every instruction set, even for the least and greatest
// numbers.
func TestProductsOfIntegers(t *testing.T) {
	everyDots(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		sizes := []int{1, 2, 3, 5, 7, 14, 15, 16, 17, 31, 33, 40, 64, 65, 70}
		for a := range Uint16 + 1 {
			for b := range Uint16 + 1 {
				for range 25 {
					size := func() int { return sizes[r.IntN(len(sizes))] }
					c := dotCase{m: size(), n: size(), k: size(), layoutA: r.IntN(4), laysB: r.IntN(4),
						add: r.IntN(2) == 0, strideC: 1 + r.IntN(5)/4, windows: r.IntN(4) == 0}
					c.check(t, r, a, b)
				}
			}
		}
		dotCase{m: 3, n: 2, k: 0, strideC: 1}.check(t, r, Uint8, Int8)
		dotCase{m: 3, n: 2, k: 0, strideC: 1, add: true}.check(t, r, Uint8, Int8)
		dotCase{m: 130, n: 70, k: 3000, strideC: 1}.check(t, r, Uint8, Int8) // several blocks of each
		dotCase{m: 70, n: 530, k: 1100, strideC: 1}.check(t, r, Int16, Uint8)
		dotCase{m: 70, n: 40, k: 640, laysB: 1, strideC: 1}.check(t, r, Own, Own)
		for _, a := range []Type{Int8, Uint8} { // few rows, whose second factor is read as it lies
			for _, b := range []Type{Int8, Uint8} {
				for range 60 {
					dotCase{m: 1 + r.IntN(8), n: 60 + r.IntN(1200), k: 4 + r.IntN(200), laysB: r.IntN(2),
						add: r.IntN(2) == 0, strideC: 1 + r.IntN(5)/4}.check(t, r, a, b)
				}
			}
		}
	})
}

// Elements of a factor lie within it.
func TestCheckOfNarrowFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	a, b := randomIntegers(r, Uint8, 11), randomIntegers(r, Int8, 12)
	p := Product[int32]{M: 4, N: 4, K: 3, A: Matrix[int32]{Row: 3, Col: 1}, B: Matrix[int32]{Row: 4, Col: 1},
		C:       Matrix[int32]{Data: make([]int32, 16), Row: 4, Col: 1},
		FactorA: a.factor, FactorB: b.factor}
	require.ErrorContains(t, p.Check(), "A takes elements 0 to 11 of 11")
}

func BenchmarkIntegers(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{256, 512, 1024} {
		for _, types := range [][2]Type{{Uint8, Int8}, {Uint8, Uint8}, {Int16, Int16}, {Own, Own}} {
			x, y := randomIntegers(r, types[0], n*n), randomIntegers(r, types[1], n*n)
			p := Product[int32]{M: n, N: n, K: n, A: Matrix[int32]{Data: x.values, Row: n, Col: 1},
				B: Matrix[int32]{Data: y.values, Row: n, Col: 1},
				C: Matrix[int32]{Data: make([]int32, n*n), Row: n, Col: 1}, FactorA: x.factor, FactorB: y.factor}
			everyDots(b, func(b *testing.B) {
				b.Run(fmt.Sprint(n, types), func(b *testing.B) {
					var s Scratch[int32]
					for b.Loop() {
						p.Run(&s)
					}
					b.ReportMetric(2*float64(n*n*n)/1e9/(b.Elapsed().Seconds()/float64(b.N)), "Gop/s")
				})
			})
		}
	}
}
