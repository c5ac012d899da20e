package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/scalar"
)

// runInParts computes a product whose sums are divided into random parts, none of which crosses a block.
func runInParts[T scalar.Number](r *rand.Rand, p *Product[T], s *Scratch[T]) {
	clear(p.C.Data)
	part := Part[T]{Continues: true, Sums: make([]T, len(p.C.Data))}
	p.Part = &part
	block := BlockLen(p.K)
	for part.From = 0; part.From < p.K; part.From = part.To {
		if part.From%block == 0 {
			clear(part.Sums)
		}
		part.To = min(part.From+1+r.IntN(p.K), (part.From/block+1)*block, p.K)
		p.RunPart(0, p.M, 0, p.N, s)
	}
}

// testParts divides sums into parts and expects the bits of whole ones.
func testParts[T scalar.Number](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var s Scratch[T]
	for _, size := range [][3]int{{1, 1, 5}, {1, 40, 9}, {3, 2, 33}, {17, 70, 130}, {40, 33, 1024}, {9, 41, 1100},
		{30, 64, 2050}, {1, 33, 1500}} {
		for layout := range layouts * layouts * layouts {
			p := product[T](r, size[0], size[1], size[2], layout)
			want := whole(t, p, &s)
			runInParts(r, p, &s)
			for i := range p.M {
				for j := range p.N {
					at := p.C.Start + i*p.C.Row + j*p.C.Col
					if want[at] != p.C.Data[at] {
						require.Equal(t, want[at], p.C.Data[at], "%v, layout %d, element %d, %d", size, layout, i, j)
					}
				}
			}
		}
	}
}

func TestPartsHaveTheBitsOfWholeSums(t *testing.T) {
	t.Run("float32", testParts[float32])
	t.Run("float64", testParts[float64])
	t.Run("int64", testParts[int64])
}

// Products outside of a part count as zeros: their factors need not be read.
func TestPartOfOneRun(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var s Scratch[float32]
	for _, size := range [][3]int{{1, 40, 1100}, {5, 3, 30}, {20, 70, 90}, {15, 64, 1600}} {
		for _, part := range []Part[float32]{
			{From: 0, To: 17}, {From: 13, To: 30}, {From: 10, To: size[2] - 3}, {From: 7, To: 7}} {
			for layout := range layouts * layouts {
				t.Run(fmt.Sprint(size, part.From, part.To, layout), func(t *testing.T) {
					p := product[float32](r, size[0], size[1], size[2], layout)
					for i := range p.M {
						for k := range p.K {
							if k < part.From || k >= part.To {
								p.A.Data[p.A.Start+i*p.A.Row+k*p.A.Col] = 0
							}
						}
					}
					want := expected(t, p)
					p.Part = &part
					p.Run(&s)
					require.Equal(t, want, p.C.Data)
				})
			}
		}
	}
}
