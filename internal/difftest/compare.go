package difftest

import (
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// array makes an input of a session.
func array(t eager.DType, shape []int, data []float64) exec.Array {
	return exec.Array{Shape: shape, Data: Elements(dtype(t), slices.Clone(data))}
}

// cellsOf returns the elements of an array, and its dtype.
func cellsOf(a exec.Array) (cells []eager.Cell, t eager.DType) {
	switch d := a.Data.(type) {
	case []bool:
		cells = make([]eager.Cell, len(d))
		for i, v := range d {
			if v {
				cells[i].I = 1
			}
		}
		return cells, eager.Bool
	case []int32:
		return wholeCells(d), eager.Int32
	case []int64:
		return wholeCells(d), eager.Int64
	case []float32:
		return floatCells(d), eager.Float32
	case []float64:
		return floatCells(d), eager.Float64
	}
	return cellsOfAny(a)
}

func wholeCells[T int32 | int64](data []T) []eager.Cell {
	cells := make([]eager.Cell, len(data))
	for i, v := range data {
		cells[i].I = int64(v)
	}
	return cells
}

func floatCells[T float32 | float64](data []T) []eager.Cell {
	cells := make([]eager.Cell, len(data))
	for i, v := range data {
		cells[i].V = float64(v)
	}
	return cells
}

// writeBits adds an array to a hash. All NaN count as equal.
func writeBits(h hash.Hash64, a exec.Array) {
	cells, _ := cellsOf(a)
	list := make([]byte, 0, 8*len(cells))
	for _, c := range cells {
		bits := math.Float64bits(c.V)
		if math.IsNaN(c.V) {
			bits = 1
		}
		list = binary.LittleEndian.AppendUint64(list, bits^uint64(c.I))
	}
	h.Write(list)
}

// same reports whether two runs gave the same bits.
func same(a, b []exec.Array) bool {
	for k := range a {
		if !sameBits(a[k].Data, b[k].Data) {
			return false
		}
	}
	return true
}

// sameBits compares two lists of elements: all NaN are equal, the zeros differ.
func sameBits(a, b any) bool {
	switch x := a.(type) {
	case []bool:
		return slices.Equal(x, b.([]bool))
	case []int32:
		return slices.Equal(x, b.([]int32))
	case []int64:
		return slices.Equal(x, b.([]int64))
	case []float32:
		return slices.EqualFunc(x, b.([]float32), sameNumber)
	}
	if x, is := a.([]float64); is {
		return slices.EqualFunc(x, b.([]float64), sameNumber)
	}
	x, _ := cellsOfAny(exec.Array{Data: a})
	y, _ := cellsOfAny(exec.Array{Data: b})
	return slices.EqualFunc(x, y, func(x, y eager.Cell) bool { return x.I == y.I && sameNumber(x.V, y.V) })
}

func sameNumber[T float32 | float64](x, y T) bool {
	return math.Float64bits(float64(x)) == math.Float64bits(float64(y)) || x != x && y != y
}

// pair is one number that was computed twice.
type pair struct {
	got, want float64
	about     func() string // names it
	scale     float64       // the size of what it is a sum of
	unit      float64       // a part of that: how coarse the numbers are from which it is formed
}

// agree compares a run with the evaluator. A difference of more than a few units in the last place must be rounding:
// see rounding.
func (c *checker) agree(got []exec.Array, want *answer) bool {
	pairs, fault := c.pairs(got, want)
	if fault != "" {
		c.v.Fault = fault
		return false
	}
	r := &rounding{c: c, got: got, want: want, pairs: pairs}
	count := 0
	for i, p := range pairs {
		switch {
		case p.close(0):
		case r.explains(i):
			count++
		default:
			c.v.Fault = "values"
			c.v.Detail = fmt.Sprintf("%s is %v, not %v; rounding explains %.3g", p.about(), p.got, p.want, r.spread[i])
			if strings.HasPrefix(p.about(), "gradient") {
				c.v.Fault = p.about()
			}
			return false
		}
	}
	c.v.Rounds += count
	return true
}

func isNormal(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// close reports whether the two differ by rounding, with some slack.
func (p *pair) close(slack float64) bool {
	if p.got == p.want || math.IsNaN(p.got) && math.IsNaN(p.want) || math.IsNaN(slack) {
		return true
	}
	return math.Abs(p.got-p.want) <= p.unit*p.scale+slack
}

const double, single = 1e-11, 2e-5 // units

// unitOf returns the unit of a program: that of the coarsest dtype in which some value may be computed.
func unitOf(p *Program) float64 {
	unit := double
	see := func(t eager.DType) {
		switch t {
		case eager.Float32:
			unit = max(unit, single)
		case eager.Float16:
			unit = max(unit, 4e-3)
		case eager.BFloat16:
			unit = max(unit, 3e-2)
		}
	}
	for _, in := range p.Inputs {
		see(in.T)
	}
	for _, s := range p.Steps {
		if see(s.T); slices.Contains([]string{"Num", "Mean", "QuantizeFloat8"}, s.Op) {
			see(eager.Float32)
		}
	}
	return unit
}

// pairs lists the numbers to compare.
func (c *checker) pairs(got []exec.Array, want *answer) (list []pair, fault string) {
	unit := unitOf(c.p)
	gradients := len(c.b.first) + len(c.b.second)
	outs := slices.Concat(got[:len(c.p.Outputs)], got[len(c.p.Outputs)+gradients:])
	for k, a := range outs {
		cells, t := cellsOf(a)
		if t != want.t[k] || !slices.Equal(a.Shape, want.shape[k]) {
			return nil, fmt.Sprintf("type: value %d is %s%v, not %s%v", k, t, a.Shape, want.t[k], want.shape[k])
		}
		scale := 0.
		for _, w := range want.cells[k] {
			if isNormal(w.V) {
				scale = max(scale, math.Abs(w.V))
			}
		}
		for i, w := range want.cells[k] {
			about := func() string { return fmt.Sprintf("element %d of value %d", i, k) }
			p := pair{cells[i].V, w.V, about, scale, unit}
			if !t.IsFloat() {
				p = pair{float64(cells[i].I), float64(w.I), about, 0, unit}
			}
			list = append(list, p)
		}
	}
	if gradients > 0 {
		list = append(list, c.slopes(got[len(c.p.Outputs):][:gradients], want, unit)...)
	}
	return list, ""
}

// slopes lists the products of the gradients with the directions.
func (c *checker) slopes(gradients []exec.Array, want *answer, unit float64) (list []pair) {
	var got, scale [3]float64
	put := func(k int, g, along, size float64) {
		if along != 0 {
			got[k] += g * along
			scale[k] = max(scale[k], max(math.Abs(g), size)*math.Abs(along))
		}
	}
	n := len(c.b.first)
	for i, a := range gradients {
		cells, t := cellsOf(a)
		if t == eager.Float32 {
			unit = max(unit, single)
		}
		id := c.p.Gradient.Wrt[i%n]
		sizes := make([]float64, len(cells))
		if i < n && c.p.Gradient.Steps(c.p, id) { // a difference of what lay in the parameter
			sizes = c.data(id)
		}
		for j, g := range cells {
			if i < n {
				put(0, g.V, c.a[id][j], math.Abs(sizes[j]))
				put(1, g.V, c.along[id][j], math.Abs(sizes[j]))
			} else {
				put(2, g.V, c.along[id][j], 0)
			}
		}
	}
	names := []string{"gradient", "gradient", "gradient of the gradient"}
	for k := range 3 {
		p := pair{got[k], want.slope[k], func() string { return names[k] },
			100*scale[k] + math.Abs(want.slope[k]) + scale[0] + scale[1] + 1, unit}
		if math.IsInf(p.scale, 0) || math.IsNaN(p.scale) {
			p.scale = 1
		}
		switch {
		case k == 2 && len(c.b.second) == 0:
			p = pair{}
		case want.rough[k], unit > single && !isNormal(got[k]): // 16 bits hold no large derivatives
			c.v.Rough++
			p = pair{got: math.NaN(), want: math.NaN()}
		}
		list = append(list, p)
	}
	return list
}
