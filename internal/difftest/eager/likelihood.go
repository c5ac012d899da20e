package eager

import (
	"math"
	"slices"
)

// likelihood is CrossEntropy, or NLL if x holds logarithms. x[0] holds scores, with classes along axis 1. x[1] is the
// class of each example or, in the scores' shape, its probabilities. x[2], if any, is the weights of classes. I[0], if
// any, is the class to ignore.
func likelihood(logs bool) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		rows, shape := classes(x[0])
		weights := classWeights(x)
		cells, shares := make([]Cell, len(rows)), make([]Cell, len(rows))
		soft := x[1].T.IsFloat()
		target := targets(x[1], x[0], shape)
		for i, row := range rows {
			if !logs {
				l := m.logSumExp(x[0].T, row)
				if math.IsInf(l.V, 1) { // PyTorch's log_softmax subtracts the greatest score first
					l = num(math.NaN())
				}
				row = each(row, func(v Num) Num { return sub(v, l) })
			}
			shares[i].Num = num(1)
			if soft {
				for k, c := range target[i*len(row):][:len(row)] {
					cells[i].Num = sub(cells[i].Num, mul(weights[k].Num, mul(c.Num, row[k].Num)))
				}
				continue
			}
			k := int(target[i].I)
			switch {
			case len(s.I) > 0 && k == s.I[0]:
				shares[i].Num = num(0)
				continue
			case k < 0 || k >= len(row):
				refuseElements("class %d of %d", k, len(row))
			}
			shares[i].Num = weights[k].Num
			cells[i].Num = neg(mul(weights[k].Num, row[k].Num))
		}
		losses := m.made(x[0].T, shape, cells)
		if s.Text != "" || soft {
			return one(m.folded(s, losses))
		}
		sum := func(x *Tensor) *Tensor { return Entries["Sum"](m, &Step{}, []*Tensor{x})[0] }
		return one(m.binary(binaries["Div"], sum(losses), sum(m.made(x[0].T, shape, shares))))
	}
}

// classes returns, for each example, the scores of its classes, which are along axis 1, or along the only one.
func classes(x *Tensor) (rows [][]Cell, shape []int) {
	axis := min(1, len(x.Shape)-1)
	if axis < 0 || !x.T.IsFloat() {
		refuse("no scores in %v", x.Shape)
	}
	return folded(x, []int{axis}, false)
}

// classWeights returns the weights of classes: 1 if there are none.
func classWeights(x []*Tensor) []Cell {
	n := x[0].Shape[min(1, len(x[0].Shape)-1)]
	if len(x) < 3 || x[2] == nil {
		return slices.Repeat([]Cell{{Num: num(1)}}, n)
	}
	if !slices.Equal(x[2].Shape, []int{n}) || x[2].T != x[0].T {
		refuse("weights %v of %d classes", x[2].Shape, n)
	}
	return x[2].Cells()
}

// targets returns the class of each example, or the probabilities of its classes.
func targets(t, x *Tensor, examples []int) (list []Cell) {
	if !t.T.IsFloat() {
		if !t.T.IsInt() || len(t.Shape) != len(examples) {
			refuse("targets %v of %v", t.Shape, x.Shape)
		}
		return t.expand(examples).Cells()
	}
	if len(t.Shape) != len(x.Shape) || t.T != x.T {
		refuse("targets %v of %v", t.Shape, x.Shape)
	}
	rows, _ := classes(t.expand(x.Shape))
	return slices.Concat(rows...)
}
