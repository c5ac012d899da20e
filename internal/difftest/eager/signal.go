package eager

import (
	"math"
	"slices"
	"strings"
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

// pairs are rows of complex numbers along an axis.
type pairs struct {
	t      DType
	before []int // the shape before the axis
	rows   [][][2]Num
	length int
}

// pairsOf reads the rows along the last axis of real numbers, or along the last but one of pairs. Each is cut or
// zero-padded to a length unless that is negative.
func (m *Machine) pairsOf(x *Tensor, real bool, length int) *pairs {
	shape := x.Shape
	last, wide := len(shape)-1, 1
	if x.T != Float32 && x.T != Float64 || !real && (last < 1 || shape[last] != 2) || last < 0 {
		refuse("numbers %v", shape)
	}
	if !real {
		last, wide = last-1, 2
	}
	n := shape[last]
	if length < 0 {
		length = n
	}
	if length == 0 {
		refuse("a transform of nothing")
	}
	p := &pairs{t: x.T, before: shape[:last], length: length}
	all := m.shaken(x.T, x.Cells())
	for i := range volume(p.before) {
		row := make([][2]Num, length)
		for j := range min(n, length) * wide {
			row[j/wide][j%wide] = all[i*n*wide+j].Num
		}
		p.rows = append(p.rows, row)
	}
	return p
}

// ofReal drops the imaginary parts of elements that are their own conjugates in the transform of real numbers.
func (p *pairs) ofReal() {
	for _, row := range p.rows {
		for k := range row {
			if k == 0 || 2*k == len(row) {
				row[k][1] = num(0)
			}
		}
	}
}

// made returns the rows as a value: of pairs, or of their real parts.
func (p *pairs) made(m *Machine, real bool, length int) *Tensor {
	var cells []Cell
	for _, row := range p.rows {
		for _, v := range row[:length] {
			if cells = append(cells, Cell{Num: v[0]}); !real {
				cells = append(cells, Cell{Num: v[1]})
			}
		}
	}
	shape := append(slices.Clone(p.before), length)
	if !real {
		shape = append(shape, 2)
	}
	return m.made(p.t, shape, cells)
}

// conjugate flips the sign of the imaginary parts.
func (p *pairs) conjugate() {
	for _, row := range p.rows {
		for i, v := range row {
			row[i][1] = neg(v[1])
		}
	}
}

// transform replaces each row by its transform. The inverse is divided by the number of elements, unless a word says
// otherwise.
func (p *pairs) transform(m *Machine, inverse bool, norm string) {
	part := 1.0
	switch n := float64(p.length); {
	case norm == "ortho":
		part = 1 / math.Sqrt(n)
	case norm == "" && inverse, norm == "forward" && !inverse:
		part = 1 / n
	}
	for i, row := range p.rows {
		y := m.fourier(p.t, row, inverse)
		for k, v := range y {
			y[k] = [2]Num{scale(v[0], part), scale(v[1], part)}
		}
		p.rows[i] = y
	}
}

// mirrored completes rows to n numbers from their first halves; their transforms are real.
func (p *pairs) mirrored(n int) {
	for i, row := range p.rows {
		whole := make([][2]Num, n)
		for k := range n {
			if v := row[min(k, n-k)]; k > n-k {
				whole[k] = [2]Num{v[0], neg(v[1])}
			} else if whole[k] = v; k == 0 || k == n-k {
				whole[k][1] = num(0)
			}
		}
		p.rows[i] = whole
	}
	p.length = n
}

// size is the number of elements that a step asks for, or -1.
func (m *Machine) size(s *Step) int {
	if len(s.S) == 0 {
		return -1
	}
	return s.S[0].Eval(m.At)
}

// spectrum is an entry of transforms of complex numbers to complex ones.
func spectrum(inverse bool) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		p := m.pairsOf(x[0], false, m.size(s))
		p.transform(m, inverse, s.Text)
		return one(p.made(m, false, p.length))
	}
}

// halfSpectrum is an entry of the first half of transforms of real numbers.
func halfSpectrum(inverse bool) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		p := m.pairsOf(x[0], true, m.size(s))
		p.transform(m, inverse, s.Text)
		p.ofReal()
		return one(p.made(m, false, p.length/2+1))
	}
}

// realSpectrum is an entry of real numbers of the first half of their transforms.
func realSpectrum(inverse bool) Entry {
	return func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		n := m.size(s)
		if n < 0 && len(x[0].Shape) > 1 {
			n = 2 * (x[0].Shape[len(x[0].Shape)-2] - 1)
		}
		if n < 1 {
			refuse("a transform of %d numbers", n)
		}
		p := m.pairsOf(x[0], false, n/2+1)
		p.mirrored(n)
		p.transform(m, inverse, s.Text)
		return one(p.made(m, true, n))
	}
}

// frames is the entry of STFT: I holds the size of frames and their distance, x[1] is a window or nothing, and Text has
// words.
func frames(m *Machine, s *Step, x []*Tensor) []*Tensor {
	n, hop, words := s.I[0], s.I[1], strings.Fields(s.Text)
	signal := x[0]
	if len(signal.Shape) != 1 && len(signal.Shape) != 2 || !signal.T.IsFloat() || signal.T.isNarrow() {
		refuse("a signal of %s%v", signal.T, signal.Shape)
	}
	last := len(signal.Shape) - 1
	length := signal.Shape[last]
	has := func(word string) bool { return slices.Contains(words, word) }
	around := n / 2
	if has("beside") {
		around = 0
	}
	if around >= length && has("reflect") || length+2*around < n {
		refuse("frames of %d of %d", n, length)
	}
	window := make([]Num, n)
	for i := range window {
		window[i] = num(1)
	}
	if x[1] != nil {
		w := x[1].Cells()
		if len(x[1].Shape) != 1 || len(w) > n || len(w) == 0 || x[1].T != signal.T {
			refuse("a window %v", x[1].Shape)
		}
		clear(window)
		for i, c := range w {
			window[(n-len(w))/2+i] = c.Num
		}
	}
	count := (length+2*around-n)/hop + 1
	all := signal.Cells()
	p := &pairs{t: signal.T, length: n}
	for row := range volume(signal.Shape[:last]) {
		for f := range count {
			frame := make([][2]Num, n)
			for i := range frame {
				at := f*hop + i - around
				if has("reflect") {
					at = max(at, -at)
					at = min(at, 2*(length-1)-at)
				}
				if at >= 0 && at < length {
					frame[i][0] = mul(all[row*length+at].Num, window[i])
				}
			}
			p.rows = append(p.rows, frame)
		}
	}
	norm, kept := "", n/2+1
	if has("normalized") {
		norm = "ortho"
	}
	p.transform(m, false, norm)
	if has("whole") {
		kept = n
	} else {
		p.ofReal()
	}
	p.before = append(slices.Clone(signal.Shape[:last]), count)
	y := p.made(m, false, kept)
	order := []int{1, 0, 2}
	if last == 1 {
		order = []int{0, 2, 1, 3}
	}
	return Entries["Permute"](m, &Step{I: order}, one(y))
}

func init() {
	Entries["FFT"], Entries["IFFT"] = spectrum(false), spectrum(true) // S may be the size, and Text the scale
	Entries["RFFT"], Entries["IRFFT"] = halfSpectrum(false), realSpectrum(true)
	exchanged := map[string]string{"": "forward", "forward": "", "ortho": "ortho"}
	// HFFT is the transform of a signal that is conjugate to itself in reverse, and IHFFT is its inverse. The scales
	// are those of the opposite direction.
	Entries["HFFT"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		conj := m.binary(binaries["Mul"], x[0], dense(x[0].T, []int{2}, []Cell{{Num: num(1)}, {Num: num(-1)}}))
		return realSpectrum(true)(m, &Step{S: s.S, Text: exchanged[s.Text]}, one(conj))
	}
	Entries["IHFFT"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		p := m.pairsOf(x[0], true, m.size(s))
		p.transform(m, false, exchanged[s.Text])
		p.ofReal()
		p.conjugate()
		return one(p.made(m, false, p.length/2+1))
	}
	Entries["STFT"] = frames
	// Quantize has a value, a scale and a zero point, whose dtype is that of the result.
	Entries["Quantize"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		if !x[2].T.IsInt() || kinds[x[2].T].bits > 16 || x[0].T != x[1].T || x[0].T.isNarrow() || !x[0].T.IsFloat() {
			refuse("%s as %s", x[0].T, x[2].T)
		}
		shape := broadcast(x[0].Shape, x[1].Shape, x[2].Shape)
		cells, scales, zeros := x[0].over(shape), x[1].over(shape), x[2].over(shape)
		low, high := x[2].T.nothing("max").I, x[2].T.nothing("min").I
		for i, c := range cells {
			if !finite(c.V / scales[i].V) {
				refuseElements("%g over %g", c.V, scales[i].V)
			}
			v := x[0].T.nearest(c.V / scales[i].V)
			cells[i] = Cell{I: int64(min(max(math.RoundToEven(v)+float64(zeros[i].I), float64(low)), float64(high)))}
		}
		return one(m.made(x[2].T, shape, cells))
	}
	Entries["Dequantize"] = func(m *Machine, _ *Step, x []*Tensor) []*Tensor {
		if bits := kinds[x[0].T].bits; bits == 0 || bits > 16 || x[0].T.IsFloat() || x[2].T != x[0].T ||
			!x[1].T.IsFloat() {
			refuse("%s with %s", x[0].T, x[2].T)
		}
		shape := broadcast(x[0].Shape, x[1].Shape, x[2].Shape)
		cells, scales, zeros := x[0].over(shape), x[1].over(shape), x[2].over(shape)
		for i, c := range cells {
			cells[i] = Cell{Num: scale(scales[i].Num, float64(c.I-zeros[i].I))}
		}
		return one(m.made(x[1].T, shape, cells))
	}
	// QuantizeFloat8 converts to a floating-point dtype of 8 bits, which Text names, and back. Numbers beyond its range
	// become the greatest one. As in a Cast, derivatives pass through.
	Entries["QuantizeFloat8"] = func(m *Machine, s *Step, x []*Tensor) []*Tensor {
		if x[0].T != x[1].T || !x[0].T.IsFloat() || x[0].T.isNarrow() {
			refuse("%s over %s", x[0].T, x[1].T)
		}
		to := small[s.Text]
		shape := broadcast(x[0].Shape, x[1].Shape)
		cells, scales := x[0].over(shape), x[1].over(shape)
		for i, c := range cells {
			v := div(c.Num, scales[i].Num)
			if v.V = x[0].T.nearest(v.V); !finite(v.V) {
				refuseElements("%g over %g", c.V, scales[i].V)
			}
			v = clamp(v, -to.most, to.most)
			v.V = to.nearest(v.V)
			cells[i].Num = mul(v, scales[i].Num)
		}
		return one(m.made(x[0].T, shape, cells))
	}
}

// small are the floating-point dtypes of 8 bits.
var small = map[string]kind{"float8_e4m3fn": {fraction: 3, least: -6, most: 448},
	"float8_e5m2": {fraction: 2, least: -14, most: 57344}}
