package eager

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Draw returns the elements of an input in a run: "real" numbers around 0, on a "grid" of halves, on which functions
// have their kinks and elements are equal, "positive", in the "unit" interval without its ends, matrices with a
// "dominant" diagonal, or one whose numbers are far "apart", "wide" whole numbers of all bits, or whole numbers below a
// size ("index"), those and others below and beyond ("far"), those or as many counted from the end ("signed"), or each
// of them in turn ("cover"), or rising from 0 ("offsets"), all from the program's seed. Parameters have the same
// elements in each run.
func (p *Program) Draw(input, run int) []float64 {
	in := p.Inputs[input]
	if in.Param {
		run = 0
	}
	r := rand.New(rand.NewPCG(p.Seed, uint64(run*1000+input)))
	shape := shapeOf(in.Shape, p.Sizes(run))
	data := make([]float64, volume(shape))
	below := in.Below.Eval(p.Sizes(run))
	for i := range data {
		x := 2*r.Float64() - 1
		switch {
		case in.Kind == "index" || in.Kind == "offsets":
			data[i] = math.Floor((x + 1) / 2 * float64(below))
		case in.Kind == "far":
			data[i] = math.Floor(x*float64(2*below+2)) + float64(below/2)
		case in.Kind == "signed":
			data[i] = math.Floor(x * float64(below))
		case in.Kind == "cover":
			data[i] = float64(i % below)
		case in.T == Bool:
			data[i] = math.Ceil(x)
		case in.Kind == "wide": // sums and products leave 8 and 16 bits
			most := math.Ldexp(1, min(kinds[in.T].bits-1, 20))
			if data[i] = min(math.Round(x*most), most-1); in.T.IsUnsigned() {
				data[i] = math.Abs(data[i])
			}
		case in.T.IsInt():
			if data[i] = math.Round(6 * x); in.T.IsUnsigned() {
				data[i] = math.Abs(data[i])
			}
		case in.Kind == "grid":
			data[i] = math.Round(4*x) / 2
		case in.Kind == "dominant":
			cols := shape[len(shape)-1]
			if data[i] = 0.3 * x; i%cols == i/cols%shape[len(shape)-2] {
				data[i] = 3 + x
			}
		case in.Kind == "apart":
			cols := shape[len(shape)-1]
			if data[i] = 0.4 * x; i%cols == i/cols%shape[len(shape)-2] {
				data[i] = 1 + 0.9*float64(i%cols) + 0.3*x
			}
		case in.Kind == "positive":
			data[i] = 1.2 + x
		case in.Kind == "unit":
			data[i] = 0.5 + 0.45*x
		default:
			data[i] = 2 * x
		}
		if in.T.IsFloat() {
			data[i] = in.T.nearest(data[i])
		}
	}
	if in.Kind == "offsets" && len(data) > 0 {
		data[0] = 0
		slices.Sort(data)
	}
	return data
}

// Direction draws numbers along which a derivative is taken: one for each element or, if only is not negative, one for
// that element alone.
func Direction(r *rand.Rand, count, only int) []float64 {
	v := make([]float64, count)
	for i := range v {
		if only < 0 || i == only {
			v[i] = math.Round((4*r.Float64()-2)*1024) / 1024
		}
	}
	return v
}

func shapeOf(s []Size, at map[string]int) []int {
	shape := make([]int, len(s))
	for i, d := range s {
		shape[i] = d.Eval(at)
	}
	return shape
}

func volume(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
