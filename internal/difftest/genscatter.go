package difftest

import "github.com/broadloom/broadloom/internal/difftest/eager"

// scatter puts elements at indices, often several at one place.
func (g *gen) scatter() bool {
	x := g.pick(numberAxes)
	if x < 0 {
		return false
	}
	axis, shape := g.axis(x), g.shapeOf(x)
	size := g.sizeOf(x, axis)
	if size == nil || shape == nil {
		return false
	}
	from := axis
	if from < 0 {
		from += len(shape)
	}
	shape[from] = g.someSize()
	at, op := shape, oneOf(g, "Scatter", "ScatterAdd", "IndexCopy", "IndexAdd", "IndexAdd", "ScatterAdd")
	if op[0] == 'I' {
		at = shape[from : from+1]
	}
	index := g.declare(eager.Input{T: eager.Int64, Shape: at, Kind: "index", Below: size})
	src := g.pick(func(y *eager.Tensor) bool { return y.T == g.v(x).T && len(y.Shape) == len(shape) && g.IntN(2) == 0 })
	if src < 0 || op[0] == 'I' {
		src = g.input(g.v(x).T, shape, "")
	}
	return index >= 0 && src >= 0 && g.did(eager.Step{Op: op, In: []int{x, index, src}, I: []int{axis}})
}

// sort sorts an axis, or takes its first elements in order.
func (g *gen) sort() bool {
	x := g.pick(numberAxes)
	if x < 0 {
		return false
	}
	axis := g.axis(x)
	switch g.IntN(4) {
	case 0:
		return g.did(eager.Step{Op: oneOf(g, "CumMax", "CumMin"), In: []int{x}, I: []int{axis}})
	case 1:
		return g.did(eager.Step{Op: "KthValue", In: []int{x}, I: []int{1 + g.IntN(3), axis}})
	case 2:
		return g.did(eager.Step{Op: "Sort", In: []int{x}, I: []int{axis, g.IntN(2)}})
	}
	return g.did(eager.Step{Op: "TopK", In: []int{x}, I: []int{1 + g.IntN(3), axis, g.IntN(2)}})
}
