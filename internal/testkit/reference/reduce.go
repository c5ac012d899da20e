package reference

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// reduce folds axes away.
func (e *evaluator) reduce(n *graph.Node, x tensor) (tensor, error) {
	r, err := e.reader(x)
	if err != nil {
		return tensor{}, err
	}
	folded, err := e.foldedAxes(n, r.shape)
	if err != nil {
		return tensor{}, err
	}
	kept := slices.Clone(r.shape)
	for _, a := range folded {
		kept[a] = 1
	}
	inner := make([]int, len(folded))
	for i, a := range folded {
		inner[i] = r.shape[a]
	}
	t := tensor{dtype: n.DType(), layout: graph.RowMajor(n.Shape())}
	index := make([]int, len(kept))
	err = each(kept, func(outer []int) error {
		f := folder{fold: n.Op().Fold, dtype: x.dtype}
		copy(index, outer)
		err := each(inner, func(at []int) error {
			for i, a := range folded {
				index[a] = at[i]
			}
			f.add(r.at(index))
			return nil
		})
		c := f.result()
		t.store = append(t.store, c)
		return err
	})
	return t, err
}

// foldedAxes returns the axes that a reduction folds. For a sum to a shape, these are the axes of size 1 there.
func (e *evaluator) foldedAxes(n *graph.Node, shape []int) ([]int, error) {
	if list := n.Op().Axes; list != nil {
		return list(n), nil
	}
	to, err := e.ints(n.Shape())
	var axes []int
	for i := range to {
		if to[i] != shape[i] {
			axes = append(axes, i)
		}
	}
	return axes, err
}

// folder folds elements one after the other.
type folder struct {
	fold  graph.Fold
	dtype graph.DType
	count int64
	best  int64 // the index of the winner
	acc   cell
	sum   float64
}

func (f *folder) add(c cell) {
	first := f.count == 0
	f.count++
	switch f.fold {
	case graph.FoldSum, graph.FoldProd:
		f.accumulate(c, first)
	case graph.FoldAny:
		f.acc |= c
	case graph.FoldAll:
		f.acc = boolCell(c.bool() && (first || f.acc.bool()))
	default:
		if first || f.beats(c) {
			f.acc, f.best = c, f.count-1
		}
	}
}

func (f *folder) accumulate(c cell, first bool) {
	switch {
	case f.dtype.IsFloat() && f.fold == graph.FoldSum:
		f.sum += c.float()
	case f.dtype.IsFloat() && first:
		f.sum = c.float()
	case f.dtype.IsFloat():
		f.sum *= c.float()
	case f.fold == graph.FoldSum:
		f.acc = intCell(f.acc.int() + c.int())
	case first:
		f.acc = c
	default:
		f.acc = intCell(f.acc.int() * c.int())
	}
}

// beats reports whether an element wins over the one that leads; NaN wins over numbers,
// and the first of equal elements stays.
func (f *folder) beats(c cell) bool {
	greatest := f.fold == graph.FoldMax || f.fold == graph.FoldMaxNumber || f.fold == graph.FoldArgMax
	if f.dtype == graph.Uint64 {
		return uint64(c) != uint64(f.acc) && greatest == (uint64(c) > uint64(f.acc))
	}
	if !f.dtype.IsFloat() {
		if greatest {
			return c.int() > f.acc.int()
		}
		return c.int() < f.acc.int()
	}
	x, leader := c.float(), f.acc.float()
	switch {
	case math.IsNaN(leader):
		return false
	case math.IsNaN(x):
		return true
	case greatest:
		return x > leader
	}
	return x < leader
}

func (f *folder) result() cell {
	switch f.fold {
	case graph.FoldArgMax, graph.FoldArgMin:
		return intCell(f.best)
	case graph.FoldAll:
		return boolCell(f.count == 0 || f.acc.bool())
	case graph.FoldSum, graph.FoldProd:
		if f.count == 0 && f.fold == graph.FoldProd {
			return convert(intCell(1), graph.Int64, f.dtype)
		}
		if f.dtype.IsFloat() {
			return stored(f.dtype, rounded(f.dtype, f.sum))
		}
	case graph.FoldMax, graph.FoldMaxNumber, graph.FoldMin:
		if f.count == 0 {
			return loser(f.fold, f.dtype)
		}
	}
	if f.dtype.IsFloat() {
		return f.acc
	}
	return wrapped(f.dtype, f.acc.int())
}

// loser is the initial maximum or minimum, which every element beats.
func loser(fold graph.Fold, t graph.DType) cell {
	sign := 1
	if fold != graph.FoldMin {
		sign = -1
	}
	switch unsigned := t == graph.Uint8 || t == graph.Uint16 || t == graph.Uint32 || t == graph.Uint64; {
	case t.IsFloat():
		return floatCell(math.Inf(sign))
	case t == graph.Bool:
		return boolCell(sign > 0)
	case unsigned && sign < 0:
		return 0
	case unsigned:
		return wrapped(t, -1)
	case sign < 0:
		return intCell(math.MinInt64 >> (64 - 8*t.Size()))
	}
	return intCell(math.MaxInt64 >> (64 - 8*t.Size()))
}
