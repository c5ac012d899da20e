package eager

import (
	"math"
	"slices"
)

// folded arranges x for a reduction: rows of the elements that are folded together, and the
// shape of the result.
func folded(x *Tensor, axes []int, keep bool) (rows [][]Cell, shape []int) {
	fold := make([]bool, len(x.Shape))
	for _, a := range axes {
		if a = x.axis(a); fold[a] {
			refuse("axis %d twice", a)
		}
		fold[a] = true
	}
	var kept, gone []int
	for i, d := range x.Shape {
		switch {
		case fold[i] || len(axes) == 0:
			gone = append(gone, i)
			if keep {
				shape = append(shape, 1)
			}
		default:
			kept = append(kept, i)
			shape = append(shape, d)
		}
	}
	y := x.permuted(slices.Concat(kept, gone))
	count := volume(shape)
	width := volume(y.Shape[len(kept):])
	cells := y.Cells()
	for i := range count {
		rows = append(rows, cells[i*width:(i+1)*width])
	}
	return rows, shape
}

// reduce folds each row to one element.
func (m *Machine) reduce(x *Tensor, t DType, s *Step, f func(row []Cell) Cell) *Tensor {
	rows, shape := folded(x, s.I, s.Keep)
	out := make([]Cell, len(rows))
	for i, row := range rows {
		out[i] = f(row)
	}
	return m.made(t, shape, out)
}

// floats is a reduction of floating-point numbers.
func floats(f func(m *Machine, s *Step, row []Cell) Num) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		if !x[0].T.IsFloat() {
			refuse("%s", x[0].T)
		}
		return one(m.reduce(x[0], x[0].T, s, func(row []Cell) Cell {
			return Cell{Num: f(m, s, m.shaken(x[0].T, row))}
		}))
	}
}

func sum(row []Cell) Num {
	var s Num
	for _, c := range row {
		s = add(s, c.Num)
	}
	return s
}

func mean(row []Cell) Num { return div(sum(row), num(float64(len(row)))) }

// central returns the row without its mean.
func central(row []Cell) []Cell {
	mu := mean(row)
	out := make([]Cell, len(row))
	for i, c := range row {
		out[i].Num = sub(c.Num, mu)
	}
	return out
}

func squares(row []Cell) Num {
	var s Num
	for _, c := range row {
		s = add(s, square(c.Num))
	}
	return s
}

func variance(s *Step, row []Cell) Num {
	return div(squares(central(row)), num(math.Max(0, float64(len(row))-s.F[0])))
}

// logSumExp rounds the sum too: near 1 its logarithm has few right digits.
func (m *Machine) logSumExp(t DType, row []Cell) Num {
	high := math.Inf(-1)
	for _, c := range row {
		high = math.Max(high, c.V)
	}
	if math.IsInf(high, 0) {
		high = 0
	}
	var s Num
	for _, c := range row {
		s = add(s, exp(sub(c.Num, num(high))))
	}
	return m.moved(t, add(log(m.moved(t, s)), num(high)))
}

// greatest shares the derivative among equal elements.
func greatest(row []Cell) Num {
	if len(row) == 0 {
		refuse("the greatest of nothing")
	}
	best := row[0].V
	for _, c := range row {
		if c.V > best || math.IsNaN(c.V) {
			best = c.V
		}
	}
	var s Num
	var n float64
	for _, c := range row {
		if c.V == best {
			s, n = add(s, c.Num), n+1
		}
	}
	if n == 0 {
		return num(best)
	}
	s = scale(s, 1/n)
	s.V = best
	return s
}

// first returns the place of the first greatest element.
func first(row []Cell, t DType) int {
	if len(row) == 0 {
		refuse("the place of nothing")
	}
	best := 0
	for i, c := range row {
		if t.IsFloat() && (c.V > row[best].V || math.IsNaN(c.V) && !math.IsNaN(row[best].V)) ||
			!t.IsFloat() && t.turned(c.I) > t.turned(row[best].I) {
			best = i
		}
	}
	return best
}

func flipped(row []Cell) []Cell {
	out := make([]Cell, len(row))
	for i, c := range row {
		out[i] = Cell{neg(c.Num), ^c.I}
	}
	return out
}

func norm(m *Machine, s *Step, row []Cell) Num {
	p := s.F[0]
	mags := make([]Cell, len(row))
	var total Num
	for i, c := range row {
		mags[i].Num = abs(c.Num)
		total = add(total, pow(mags[i].Num, num(p)))
	}
	switch {
	case math.IsInf(p, 1) && len(row) == 0:
		return num(0)
	case math.IsInf(p, 1):
		return greatest(mags)
	case p == 1:
		return sum(mags)
	case p == 2:
		total = squares(row)
	}
	if total.V == 0 { // the derivative at 0 is a matter of convention
		m.Rough = [3]bool{true, true, true}
		return num(0)
	}
	return pow(total, num(1/p))
}

// counted is a reduction of whole numbers and booleans too: sums of these are int64.
func counted(float func(row []Cell) Num, start int64, whole func(a, b int64) int64) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		if x[0].T.IsFloat() {
			return one(m.reduce(x[0], x[0].T, s, func(row []Cell) Cell {
				return Cell{Num: float(m.shaken(x[0].T, row))}
			}))
		}
		return one(m.reduce(x[0], Int64, s, func(row []Cell) Cell {
			total := start
			for _, c := range row {
				total = whole(total, c.I)
			}
			return Cell{I: total}
		}))
	}
}

func product(row []Cell) Num {
	p := num(1)
	for _, c := range row {
		p = mul(p, c.Num)
	}
	sameInAnyOrder(row)
	return p
}

// sameInAnyOrder refuses elements whose product is finite in some orders only.
func sameInAnyOrder(row []Cell) {
	size := 1.
	for _, c := range row {
		if c.V != 0 && finite(c.V) {
			size *= c.V
		}
	}
	if math.Abs(math.Log(math.Abs(size))) > 60 {
		refuseElements("a product that is finite in some orders only")
	}
}

// nonEmpty refuses to fold empty rows, even if there are no rows.
func nonEmpty(x *Tensor, axes []int) {
	for _, a := range axes {
		if x.Shape[x.axis(a)] == 0 {
			refuse("the greatest of nothing")
		}
	}
}

// extreme is Max, or Min if turn reverses the order of elements.
func extreme(turn func([]Cell) []Cell) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		nonEmpty(x[0], s.I)
		return one(m.reduce(x[0], x[0].T, s, func(row []Cell) Cell {
			if x[0].T.IsFloat() {
				return turn([]Cell{{Num: greatest(turn(row))}})[0]
			}
			row = turn(row)
			return turn([]Cell{row[first(row, x[0].T)]})[0]
		}))
	}
}

// place is ArgMax, or ArgMin if turn reverses the order of elements.
func place(turn func([]Cell) []Cell) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		nonEmpty(x[0], s.I)
		return one(m.reduce(x[0], Int64, s, func(row []Cell) Cell { return Cell{I: int64(first(turn(row), x[0].T))} }))
	}
}

// indexed is MaxIndex, or MinIndex if turn reverses the order of elements.
func indexed(turn func([]Cell) []Cell) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		values := m.reduce(x[0], x[0].T, s, func(row []Cell) Cell { return row[first(turn(row), x[0].T)] })
		return []*Tensor{values, place(turn)(m, s, x)[0]}
	}
}

// truths is the dtype of Any and All: for Uint8, as in PyTorch, it is Uint8.
func truths(x *Tensor) DType {
	if x.T == Uint8 {
		return Uint8
	}
	return Bool
}

func same(row []Cell) []Cell { return row }

func init() {
	Entries["Sum"] = counted(sum, 0, func(a, b int64) int64 { return a + b })
	Entries["Prod"] = counted(product, 1, func(a, b int64) int64 { return a * b })
	Entries["Mean"] = floats(func(_ *Machine, _ *Step, row []Cell) Num { return mean(row) })
	Entries["LogSumExp"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		return floats(func(m *Machine, _ *Step, row []Cell) Num { return m.logSumExp(x[0].T, row) })(m, s, x)
	}
	Entries["Var"] = floats(func(_ *Machine, s *Step, row []Cell) Num { return variance(s, row) })
	Entries["Std"] = floats(func(_ *Machine, s *Step, row []Cell) Num { return sqrt(variance(s, row)) })
	Entries["Norm"] = floats(norm)
	Entries["Max"], Entries["Min"] = extreme(same), extreme(flipped)
	Entries["ArgMax"], Entries["ArgMin"] = place(same), place(flipped)
	Entries["MaxIndex"], Entries["MinIndex"] = indexed(same), indexed(flipped)
	Entries["Any"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		return one(m.reduce(m.cast(x[0], Bool), truths(x[0]), s, func(row []Cell) Cell {
			return Cell{I: truth(slices.ContainsFunc(row, func(c Cell) bool { return c.I != 0 }))}
		}))
	}
	Entries["All"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		return one(m.reduce(m.cast(x[0], Bool), truths(x[0]), s, func(row []Cell) Cell {
			return Cell{I: truth(!slices.ContainsFunc(row, func(c Cell) bool { return c.I == 0 }))}
		}))
	}
	Entries["Softmax"] = rows(func(m *Machine, t DType, row []Cell) []Cell {
		l := m.logSumExp(t, row)
		return each(row, func(x Num) Num { return exp(sub(x, l)) })
	})
	Entries["LogSoftmax"] = rows(func(m *Machine, t DType, row []Cell) []Cell {
		l := m.logSumExp(t, row)
		return each(row, func(x Num) Num { return sub(x, l) })
	})
	Entries["CumSum"], Entries["CumProd"] = scan(add, func(a, b int64) int64 { return a + b }),
		scan(mul, func(a, b int64) int64 { return a * b }, sameInAnyOrder)
	Entries["Standardize"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		return one(m.standardized(x[0], s.I, s.F[0]))
	}
}

func each(row []Cell, f func(Num) Num) []Cell {
	out := make([]Cell, len(row))
	for i, c := range row {
		out[i].Num = f(c.Num)
	}
	return out
}

// rows changes the rows along axis I[0].
func rows(f func(m *Machine, t DType, row []Cell) []Cell) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		return one(m.along(x[0], x[0].T, s.I[:1], func(row []Cell) []Cell { return f(m, x[0].T, row) }))
	}
}

// along applies f to rows over axes.
func (m *Machine) along(x *Tensor, t DType, axes []int, f func(row []Cell) []Cell) *Tensor {
	fold := make([]bool, len(x.Shape))
	for _, a := range axes {
		fold[x.axis(a)] = true
	}
	var order, gone []int
	for i := range x.Shape {
		if fold[i] || len(axes) == 0 {
			gone = append(gone, i)
		} else {
			order = append(order, i)
		}
	}
	order = append(order, gone...)
	lists, _ := folded(x, axes, false)
	shape, back := make([]int, len(order)), make([]int, len(order))
	for i, axis := range order {
		shape[i], back[axis] = x.Shape[axis], i
	}
	cells := []Cell{}
	for _, row := range lists {
		cells = append(cells, f(m.shaken(x.T, row))...)
	}
	y := m.made(t, shape, cells).permuted(back)
	return dense(t, y.Shape, y.Cells())
}

func (m *Machine) standardized(x *Tensor, axes []int, eps float64) *Tensor {
	return m.along(x, x.T, axes, func(row []Cell) []Cell {
		mu := m.moved(x.T, mean(m.shaken(x.T, row))) // it is rounded: what it leaves does not quite cancel
		row = each(row, func(x Num) Num { return sub(x, mu) })
		s := sqrt(add(div(squares(row), num(float64(len(row)))), num(eps)))
		return each(row, func(x Num) Num { return div(x, s) })
	})
}

func scan(float func(x, y Num) Num, whole func(a, b int64) int64, checks ...func(row []Cell)) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		t := x[0].T
		if !t.IsFloat() {
			t = Int64
		}
		return one(m.along(x[0], t, s.I[:1], func(row []Cell) []Cell {
			for _, check := range checks {
				check(row)
			}
			out := slices.Clone(row)
			for i := 1; i < len(out); i++ {
				out[i] = Cell{float(out[i-1].Num, out[i].Num), whole(out[i-1].I, out[i].I)}
			}
			return out
		}))
	}
}
