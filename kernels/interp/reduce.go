package interp

import (
	"unsafe"

	"github.com/broadloom/broadloom/kernels/internal/loops"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// laneWords is the size of the lanes of a Sum or Prod in words: 256 bytes for all types.
const laneWords = 32

// reduction is the three parts of a reduction over the row.
type reduction struct{ begin, block, end step }

// reduce compiles a reduction.
func (c *compiler) reduce(v rowprog.Value) {
	in := &c.prog.Insts[v]
	t := c.prog.Insts[in.Args[0]].Type
	state := c.k.states
	c.k.states += laneWords
	r := reductionOf(in.Reduction, t, state, c.vector(in.Args[0]), v)
	c.out.begin = append(c.out.begin, r.begin)
	c.out.block = append(c.out.block, r.block)
	c.out.end = append(c.out.end, r.end)
}

func reductionOf(kind rowprog.Reduction, t rowprog.Type, state, x int, v rowprog.Value) reduction {
	switch t {
	case rowprog.Bool:
		return selectReduction[uint8](kind, t, state, x, v)
	case rowprog.I32:
		return numberReduction[int32](kind, t, state, x, v)
	case rowprog.I64:
		return numberReduction[int64](kind, t, state, x, v)
	case rowprog.F32:
		return numberReduction[float32](kind, t, state, x, v)
	}
	return numberReduction[float64](kind, t, state, x, v)
}

func numberReduction[T scalar.Number](kind rowprog.Reduction, t rowprog.Type, state, x int, v rowprog.Value) reduction {
	switch kind {
	case rowprog.Sum:
		return laneReduction(T(0), loops.SumLanes[T], loops.FoldSum[T], add[T], rowprog.Lanes(t), state, x, v)
	case rowprog.MaxNumber:
		return extremeReduction(loops.MaxNumberOf[T], scalar.Identity(kind, t), x, v)
	case rowprog.Prod:
		return laneReduction(T(1), loops.ProdLanes[T], loops.FoldProd[T], multiply[T], rowprog.Lanes(t), state, x, v)
	}
	return selectReduction[T](kind, t, state, x, v)
}

func add[T scalar.Number](x, y T) T      { return x + y }
func multiply[T scalar.Number](x, y T) T { return x * y }

// laneReduction combines elements in lanes, and the lanes at the end of a chunk. A short row leaves the last lanes at
// the identity. Combining these changes nothing, so they are left out.
func laneReduction[T scalar.Number](identity T, update func(lanes, x []T), fold func(lanes []T) T,
	combine func(x, y T) T,
	lanes, state, x int, v rowprog.Value) reduction {
	at := func(s *Scratch) []T {
		n := lanes
		for n > 8 && n/2 >= s.args.N {
			n /= 2
		}
		return unsafe.Slice((*T)(unsafe.Pointer(&s.states[state])), n)
	}
	return reduction{
		begin: func(s *Scratch, _ int) { s.value[v] = scalar.Bits(identity) },
		block: func(s *Scratch, n int) {
			lanes := at(s)
			if s.at%rowprog.RowChunk == 0 {
				loops.Fill(lanes, identity)
			}
			update(lanes, vec[T](s, x, n))
			switch end := s.at + n; {
			case end < s.args.N && end%rowprog.RowChunk != 0:
			case end <= rowprog.RowChunk:
				s.value[v] = scalar.Bits(fold(lanes))
			default:
				s.value[v] = scalar.Bits(combine(valueOf[T](s, v), fold(lanes)))
			}
		},
		end: func(*Scratch, int) {},
	}
}

// selectReduction picks one of the elements, or its index.
func selectReduction[T scalar.Element](kind rowprog.Reduction, t rowprog.Type, state, x int,
	v rowprog.Value) reduction {
	switch kind {
	case rowprog.ArgMax:
		return indexReduction(loops.ArgMax[T], state, x, v)
	case rowprog.ArgMin:
		return indexReduction(loops.ArgMin[T], state, x, v)
	case rowprog.Max:
		return extremeReduction(loops.MaxOf[T], scalar.Identity(kind, t), x, v)
	}
	return extremeReduction(loops.MinOf[T], scalar.Identity(kind, t), x, v)
}

// extremeReduction keeps the extreme element in its value.
func extremeReduction[T scalar.Element](update func(m T, x []T) T, identity uint64, x int, v rowprog.Value) reduction {
	return reduction{
		begin: func(s *Scratch, _ int) { s.value[v] = identity },
		block: func(s *Scratch, n int) {
			s.value[v] = scalar.Bits(update(valueOf[T](s, v), vec[T](s, x, n)))
		},
		end: func(*Scratch, int) {},
	}
}

// indexReduction keeps the index of the extreme element in its value and the
// element itself in its state.
func indexReduction[T scalar.Element](update func(best T, at int64, x []T, first int64) (T, int64),
	state, x int, v rowprog.Value) reduction {
	return reduction{
		begin: func(s *Scratch, _ int) {
			s.states[state] = 0
			s.value[v] = scalar.Identity(rowprog.ArgMax, rowprog.NoType)
		},
		block: func(s *Scratch, n int) {
			best := (*T)(unsafe.Pointer(&s.states[state]))
			var at int64
			*best, at = update(*best, int64(s.value[v]), vec[T](s, x, n), int64(s.at))
			s.value[v] = uint64(at)
		},
		end: func(*Scratch, int) {},
	}
}
