package difftest

import (
	"slices"
	"strings"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// signal transforms numbers, changes the size of images, or goes to a few bits and back.
func (g *gen) signal() bool {
	if g.float != eager.Float32 && g.float != eager.Float64 {
		return false
	}
	switch g.IntN(6) {
	case 0, 1:
		return g.transform()
	case 2, 3:
		return g.resize()
	case 4:
		return g.frames()
	}
	return g.quantize()
}

func (g *gen) own(v *eager.Tensor) bool { return v.T == g.float && len(v.Shape) > 0 }

// transform transforms real or complex numbers, sometimes at another size than they have.
func (g *gen) transform() bool {
	s := eager.Step{Op: oneOf(g, "FFT", "IFFT", "RFFT", "IRFFT", "HFFT", "IHFFT"),
		Text: oneOf(g, "", "", "forward", "ortho")}
	x := -1
	if strings.HasPrefix(s.Op, "RF") || s.Op == "IHFFT" {
		x = g.pick(g.own)
	} else {
		if x = g.pick(func(v *eager.Tensor) bool {
			return g.own(v) && len(v.Shape) > 1 && v.Shape[len(v.Shape)-1] == 2
		}); x < 0 {
			x = g.input(g.float, append(g.someShape(1+g.IntN(2)), eager.Whole(2)), "")
		}
	}
	if g.IntN(3) == 0 {
		s.S = []eager.Size{g.someSize()}
	}
	s.In = []int{x}
	return g.did(s)
}

// resize changes the size of images.
func (g *gen) resize() bool {
	axes := 1 + g.IntN(2)
	words := []string{oneOf(g, "nearest", "exact", "linear", "cubic", "cubic", "area")}
	if words[0] == "cubic" {
		axes = 2
	}
	x := g.pick(func(v *eager.Tensor) bool { return v.T == g.float && len(v.Shape) == axes+2 })
	if x < 0 {
		x = g.input(g.float, g.someShape(axes+2), "")
	}
	s := eager.Step{Op: oneOf(g, "Resize", "Resize", "ResizeBy"), In: []int{x}, S: g.someShape(axes)}
	if s.Op == "ResizeBy" {
		s.S = nil
		for range axes {
			s.F = append(s.F, oneOf(g, 0.5, 1, 1.25, 1.5, 2, 2.75))
		}
	}
	between := words[0] == "linear" || words[0] == "cubic"
	antialias := between && axes == 2 && g.IntN(3) == 0
	if antialias {
		words = append(words, "antialias")
	}
	places := g.IntN(4)
	switch {
	case words[0] == "area" || places == 0:
	case places == 1 && !antialias && s.Op == "Resize":
		words = append(words, "crop")
		s.F = []float64{0.5}
		for range axes {
			s.F = append(s.F, oneOf(g, -0.25, 0, 0.25, 1), oneOf(g, 0.5, 0.75, 1, 1.25))
		}
	case places == 2 && between:
		words = append(words, "corners")
	default:
		words = append(words, oneOf(g, "half", "middle", "halfOrOne", "first"))
	}
	if !between && words[0] != "area" && g.IntN(2) == 0 {
		words = append(words, oneOf(g, "down", "up", "halfDown", "halfUp"))
	}
	if words[0] == "cubic" && g.IntN(3) == 0 {
		words = append(words, "catmull")
	}
	if words[0] == "cubic" && g.IntN(3) == 0 || antialias && g.IntN(2) == 0 {
		words = append(words, oneOf(g, "nothing", "repeated"))
	}
	if antialias && slices.Contains(words, "corners") && slices.Contains(words, "repeated") {
		return false
	}
	s.Text = strings.Join(words, " ")
	return g.did(s)
}

// frames transforms parts of a signal.
func (g *gen) frames() bool {
	x := g.pick(func(v *eager.Tensor) bool { return g.own(v) && len(v.Shape) < 3 })
	n := 1 + g.IntN(8)
	s := eager.Step{Op: "STFT", In: []int{x, -1}, I: []int{n, 1 + g.IntN(3)}}
	words := []string{oneOf(g, "beside", "reflect", "reflect", "zeros")}
	for _, word := range []string{"normalized", "whole"} {
		if g.IntN(3) == 0 {
			words = append(words, word)
		}
	}
	if g.IntN(2) == 0 {
		s.In[1] = g.input(g.float, []eager.Size{eager.Whole(1 + g.IntN(n))}, "")
	}
	s.Text = strings.Join(words, " ")
	return x >= 0 && g.did(s)
}

// quantize goes to integers of 8 or 16 bits, or floating-point numbers of 8, and back.
func (g *gen) quantize() bool {
	x, scales := g.pick(g.own), g.input(g.float, oneOf(g, nil, nil, []eager.Size{eager.Whole(1)}), "positive")
	if x < 0 || scales < 0 {
		return false
	}
	if g.IntN(3) == 0 {
		return g.did(eager.Step{Op: "QuantizeFloat8", In: []int{x, scales},
			Text: oneOf(g, "float8_e4m3fn", "float8_e5m2")})
	}
	zero := g.input(oneOf(g, eager.Int8, eager.Uint8, eager.Int16, eager.Uint16), nil, oneOf(g, "", "wide"))
	if zero < 0 {
		return false
	}
	q := g.do(eager.Step{Op: "Quantize", In: []int{x, scales, zero}})
	return q >= 0 && g.did(eager.Step{Op: "Dequantize", In: []int{q, scales, zero}})
}
