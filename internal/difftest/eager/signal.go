package eager

import (
	"math"
	"slices"
)

// fourier returns the sum over j of x[j]·exp(±2πi·j·k/n) for all k, of pairs of real and imaginary parts.
func (m *Machine) fourier(t DType, x [][2]Num, plus bool) [][2]Num {
	n := len(x)
	y := make([][2]Num, n)
	for k := range y {
		for j, v := range x {
			sin, cos := math.Sincos(2 * math.Pi * float64(j*k%n) / float64(n))
			if !plus {
				sin = -sin
			}
			if m.Noise != nil { // a sine of π has no right digit
				sin += m.unit(t) * (2*m.Noise.Float64() - 1)
				cos += m.unit(t) * (2*m.Noise.Float64() - 1)
			}
			y[k][0] = add(y[k][0], sub(scale(v[0], cos), scale(v[1], sin)))
			y[k][1] = add(y[k][1], add(scale(v[0], sin), scale(v[1], cos)))
		}
	}
	return y
}

// transform is an entry of a transform along the axis before the last one, or the last one of real numbers.
func transform(real bool, f func(m *Machine, t DType, row [][2]Num) [][2]Num) Entry {
	return func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		shape := slices.Clone(x[0].Shape)
		last := len(shape) - 1
		if x[0].T != Float32 && x[0].T != Float64 || !real && (last < 1 || shape[last] != 2) || last < 0 {
			refuse("numbers %v", shape)
		}
		if !real {
			last--
		}
		n, width := shape[last], volume(shape[last+1:])
		if n == 0 {
			refuse("a transform of nothing")
		}
		cells, all := []Cell{}, m.shaken(x[0].T, x[0].Cells())
		length := 0
		for i := 0; i < len(all); i += n * width {
			row := make([][2]Num, n)
			for j := range n * width {
				row[j/width][j%width] = all[i+j].Num
			}
			y := f(m, x[0].T, row)
			length = len(y)
			for _, v := range y {
				cells = append(cells, Cell{Num: v[0]}, Cell{Num: v[1]})
			}
		}
		if len(all) == 0 {
			length = len(f(m, x[0].T, make([][2]Num, n)))
		}
		return one(m.made(x[0].T, slices.Concat(shape[:last], []int{length, 2}), cells))
	}
}

// weight is an element that counts, and how much.
type weight struct {
	place int
	part  float64
}

// resizing changes the size of the axes behind the channels, one after the other: each new element is a weighed sum.
func resizing(m *Machine, s *Step, x []*Tensor) []*Tensor {
	weights := modes[s.Text]
	y, sizes := x[0], m.sizes(s.S)
	if !y.T.IsFloat() || y.T.IsNarrow() || len(y.Shape) != len(sizes)+2 || volume(y.Shape[1:]) == 0 || volume(sizes) == 0 {
		refuse("images %v", y.Shape)
	}
	for i, out := range sizes {
		axis := i + 2
		in, inner := y.Shape[axis], volume(y.Shape[axis+1:])
		shape := slices.Clone(y.Shape)
		shape[axis] = out
		cells, all := make([]Cell, volume(shape)), m.shaken(y.T, y.Cells())
		for at := range cells {
			outer, k, rest := at/(out*inner), at/inner%out, at%inner
			for _, w := range weights(y.T, in, out, k) {
				cells[at].Num = add(cells[at].Num, scale(all[(outer*in+w.place)*inner+rest].Num, w.part))
			}
		}
		y = m.made(y.T, shape, cells)
	}
	return one(y)
}

// modes are the weights of element k of an axis that is resized from one size to another.
var modes = map[string]func(t DType, in, out, k int) []weight{
	"nearest": func(t DType, in, out, k int) []weight {
		place := t.Nearest(float64(k) * t.Nearest(float64(in)/float64(out)))
		return []weight{{min(int(place), in-1), 1}}
	},
	"linear": func(_ DType, in, out, k int) []weight {
		return between((float64(k)+0.5)*float64(in)/float64(out)-0.5, in)
	},
	"corners": func(_ DType, in, out, k int) []weight {
		return between(float64(k)*float64(in-1)/max(float64(out-1), 1), in)
	},
	"area": func(_ DType, in, out, k int) (list []weight) {
		low, high := k*in/out, ((k+1)*in+out-1)/out
		for i := low; i < high; i++ {
			list = append(list, weight{i, 1 / float64(high-low)})
		}
		return list
	},
}

// between returns the two elements beside a place, and how much each counts.
func between(place float64, in int) []weight {
	place = min(max(place, 0), float64(in-1))
	low := int(place)
	part := place - float64(low)
	return []weight{{low, 1 - part}, {min(low+1, in-1), part}}
}

func init() {
	Entries["FFT"] = transform(false, func(m *Machine, t DType, row [][2]Num) [][2]Num { return m.fourier(t, row, false) })
	Entries["IFFT"] = transform(false, func(m *Machine, t DType, row [][2]Num) [][2]Num {
		y := m.fourier(t, row, true)
		for i, v := range y {
			y[i] = [2]Num{scale(v[0], 1/float64(len(y))), scale(v[1], 1/float64(len(y)))}
		}
		return y
	})
	Entries["RFFT"] = transform(true, func(m *Machine, t DType, row [][2]Num) [][2]Num { return m.fourier(t, row, false)[:len(row)/2+1] })
	Entries["Resize"] = resizing // Text is the mode
	// Quantize has a value, a scale and a zero point, whose dtype is that of the result.
	Entries["Quantize"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		if kinds[x[2].T].bits != 8 || x[0].T != x[1].T || x[0].T.IsNarrow() || !x[0].T.IsFloat() {
			refuse("%s as %s", x[0].T, x[2].T)
		}
		shape := broadcast(x[0].Shape, x[1].Shape, x[2].Shape)
		cells, scales, zeros := x[0].over(shape), x[1].over(shape), x[2].over(shape)
		low, high := x[2].T.nothing("max").I, x[2].T.nothing("min").I
		for i, c := range cells {
			if !finite(c.V / scales[i].V) {
				refuseElements("%g over %g", c.V, scales[i].V)
			}
			v := x[0].T.Nearest(c.V / scales[i].V)
			cells[i] = Cell{I: int64(min(max(math.RoundToEven(v)+float64(zeros[i].I), float64(low)), float64(high)))}
		}
		return one(m.made(x[2].T, shape, cells))
	}
	Entries["Dequantize"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		if bits := kinds[x[0].T].bits; bits == 0 || bits > 16 || x[0].T.IsFloat() || x[2].T != x[0].T || !x[1].T.IsFloat() {
			refuse("%s with %s", x[0].T, x[2].T)
		}
		shape := broadcast(x[0].Shape, x[1].Shape, x[2].Shape)
		cells, scales, zeros := x[0].over(shape), x[1].over(shape), x[2].over(shape)
		for i, c := range cells {
			cells[i] = Cell{Num: scale(scales[i].Num, float64(c.I-zeros[i].I))}
		}
		return one(m.made(x[1].T, shape, cells))
	}
}
