package eager

import (
	"math"
	"slices"
	"strings"
)

// weight is an element and its weight.
type weight struct {
	place int
	part  float64
}

// resizedAxis says how an axis is resized. Places are rounded to the dtype, since a jump depends on it.
type resizedAxis struct {
	t          DType
	words      []string
	in, out    int
	step       float64 // the distance of neighbours that a factor says, or 0
	start, end float64 // of a crop
	fill       float64
	a          float64 // of cubic polynomials
}

func (r *resizedAxis) has(word string) bool { return slices.Contains(r.words, word) }

// scale is the distance of neighbours.
func (r *resizedAxis) scale() float64 {
	switch {
	case r.has("corners") && r.out < 2:
		return 0
	case r.has("corners"):
		return r.t.nearest(float64(r.in-1) / float64(r.out-1))
	case r.step > 0:
		return r.t.nearest(r.step)
	}
	return r.t.nearest(float64(r.in) / float64(r.out))
}

// first and half are the place of element k if the centers of the first elements coincide, or their outer edges.
func (r *resizedAxis) first(k int) float64 { return r.t.nearest(float64(k) * r.scale()) }

func (r *resizedAxis) half(k int) float64 {
	return r.t.nearest(r.t.nearest(r.scale()*(float64(k)+0.5)) - 0.5)
}

// moved is the place of element k according to a word.
func (r *resizedAxis) moved(k int) (place float64, said bool) {
	near, last := r.t.nearest, float64(r.in-1)
	switch {
	case r.has("crop") && r.out > 1:
		at := near(near(near(float64(k)*near(r.end-r.start))*last) / float64(r.out-1))
		return near(at + near(last*near(r.start))), true
	case r.has("crop"):
		return near(near(last*near((r.end-r.start)/2)) + near(last*near(r.start))), true
	case r.has("middle") && r.step > 0:
		away := near(near(float64(r.in)*0.5) * near(1-near(near(float64(r.out)*near(r.step))/float64(r.in))))
		return near(r.half(k) + away), true
	case r.has("halfOrOne") && r.out == 1:
		return 0, true
	case r.has("half"), r.has("middle"), r.has("halfOrOne"):
		return r.half(k), true
	case r.has("first"):
		return r.first(k), true
	}
	return 0, false
}

// nearest is the element that is taken for element k.
func (r *resizedAxis) nearest(k int) []weight {
	place, said := r.moved(k)
	exact := r.has("exact")
	if !said {
		if place = r.half(k); !exact || r.has("corners") {
			place = r.first(k)
		}
	}
	up := r.has("halfUp") || exact && !r.has("down") && !r.has("up") && !r.has("halfDown")
	if up {
		place = r.t.nearest(max(place, 0) + 0.5)
	}
	place = Float32.nearest(place)
	switch {
	case r.has("up"):
		place = math.Ceil(place)
	case r.has("halfDown"):
		place = math.Ceil(Float32.nearest(place - 0.5))
	default:
		place = math.Floor(place)
	}
	return []weight{{int(min(max(place, 0), float64(r.in-1))), 1}}
}

// between is where element k lies among others.
func (r *resizedAxis) between(k int) float64 {
	place, said := r.moved(k)
	switch {
	case said:
		return place
	case r.has("corners"):
		return r.first(k)
	}
	return r.half(k)
}

// linear weighs the two elements next to a place.
func (r *resizedAxis) linear(k int) []weight {
	place := min(max(r.between(k), 0), float64(r.in-1))
	low := int(place)
	part := place - float64(low)
	return []weight{{low, 1 - part}, {min(low+1, r.in-1), part}}
}

// keys is the kernel of R. Keys, Cubic convolution interpolation for digital image processing, 1981.
func keys(d, a float64) float64 {
	switch d = math.Abs(d); {
	case d <= 1:
		return ((a+2)*d-(a+3))*d*d + 1
	case d < 2:
		return ((a*d-5*a)*d+8*a)*d - 4*a
	}
	return 0
}

// cubic weighs the four elements around a place. The last element is repeated past the end.
func (r *resizedAxis) cubic(k int) (list []weight) {
	place := r.between(k)
	low := min(math.Floor(place), float64(r.in-1))
	part := min(max(place-low, 0), 1)
	for i := -1; i < 3; i++ {
		list = append(list, weight{int(low) + i, keys(part-float64(i), r.a)})
	}
	return r.inside(list, r.has("nothing"))
}

// inside replaces elements outside the axis by the first or the last one, or gives them no weight.
func (r *resizedAxis) inside(list []weight, nothing bool) []weight {
	sum := 0.
	for i, w := range list {
		if at := min(max(w.place, 0), r.in-1); at != w.place {
			if list[i].place = at; nothing {
				list[i].part = 0
			}
		}
		sum += list[i].part
	}
	if nothing && sum != 0 {
		for i := range list {
			list[i].part /= sum
		}
	}
	return list
}

// smooth weighs all elements less than a radius away. The radius grows as the axis shrinks.
func (r *resizedAxis) smooth(k int) (list []weight) {
	wide := max(r.scale(), 1)
	middle := r.scale() * (float64(k) + 0.5)
	if place, said := r.moved(k); said {
		middle = place + 0.5
	}
	kernel, radius := func(d float64) float64 { return max(0, 1-math.Abs(d)) }, 1.
	if r.has("cubic") {
		kernel, radius = func(d float64) float64 { return keys(d, r.a) }, 2
	}
	sum := 0.
	for i := int(math.Floor(middle - radius*wide - 1)); float64(i) < middle+radius*wide+1; i++ {
		if i < 0 && !r.has("repeated") || i >= r.in && !r.has("repeated") {
			continue
		}
		part := kernel((float64(i) + 0.5 - middle) / wide)
		sum += part
		list = append(list, weight{i, part})
	}
	for i := range list {
		list[i].part /= sum
	}
	return r.inside(list, false)
}

// area is the mean of the elements that element k covers.
func (r *resizedAxis) area(k int) (list []weight) {
	low, high := k*r.in/r.out, ((k+1)*r.in+r.out-1)/r.out
	for i := low; i < high; i++ {
		list = append(list, weight{i, 1 / float64(high-low)})
	}
	return list
}

func (r *resizedAxis) weights(k int) []weight {
	_, said := r.moved(k)
	switch {
	case r.in == r.out && !said && (r.has("linear") || r.has("antialias")):
		// whatever factor leads to it, as in PyTorch
		return []weight{{k, 1}}
	case r.has("area"):
		return r.area(k)
	case r.has("antialias"):
		return r.smooth(k)
	case r.has("linear"):
		return r.linear(k)
	case r.has("cubic"):
		return r.cubic(k)
	}
	return r.nearest(k)
}

// isFilled reports whether element k of a crop lies outside.
func (r *resizedAxis) isFilled(k int) bool {
	place, _ := r.moved(k)
	return r.has("crop") && !(place >= 0 && place <= float64(r.in-1))
}

// resizing changes the size of the axes behind the channels, the last one first: each new element is a weighed sum.
// Text has the mode and the words of options; of factors F holds one for each axis, of a "crop" its fill, and a start
// and an end for each axis.
func resizing(m *Machine, s *Step, x []*Tensor) []*Tensor {
	y, words, sizes := x[0], strings.Fields(s.Text), m.sizes(s.S)
	if s.Op == "ResizeBy" {
		for i, f := range s.F {
			if i+2 < len(y.Shape) {
				sizes = append(sizes, int(math.Floor(float64(y.Shape[i+2])*f)))
			}
		}
	}
	needed := 1 // the first axis that must not be empty: PyTorch bears no channels in means alone
	if slices.Contains(words, "area") {
		needed = 2
	}
	if !y.T.IsFloat() || y.T.isNarrow() || len(y.Shape) != len(sizes)+2 || volume(y.Shape[needed:]) == 0 ||
		volume(sizes) == 0 {
		refuse("images %v", y.Shape)
	}
	for i, out := range slices.Backward(sizes) {
		axis := i + 2
		in, inner := y.Shape[axis], volume(y.Shape[axis+1:])
		r := &resizedAxis{t: y.T, words: words, in: in, out: out, a: -0.75}
		switch {
		case s.Op == "ResizeBy":
			r.step = 1 / s.F[i]
		case r.has("crop"):
			r.fill, r.start, r.end = s.F[0], s.F[1+2*i], s.F[2+2*i]
		}
		switch {
		case r.has("catmull"), r.has("antialias"):
			r.a = -0.5
		}
		shape := slices.Clone(y.Shape)
		shape[axis] = out
		cells, all := make([]Cell, volume(shape)), m.shaken(y.T, y.Cells())
		for at := range cells {
			outer, k, rest := at/(out*inner), at/inner%out, at%inner
			if r.isFilled(k) {
				cells[at].Num = num(y.T.nearest(r.fill))
				continue
			}
			for _, w := range r.weights(k) {
				cells[at].Num = add(cells[at].Num, scale(all[(outer*in+w.place)*inner+rest].Num, w.part))
			}
		}
		y = m.made(y.T, shape, cells)
	}
	return one(y)
}

func init() {
	Entries["Resize"], Entries["ResizeBy"] = resizing, resizing
}
