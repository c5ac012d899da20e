package stablehlo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// A product with windows of a value is a convolution, whichever axes it sums over. Summed over the elements of windows,
// it is one with the weights; summed over the places of windows, it is the gradient with respect to the weights. Place
// i and element k of a window refer to element i·stride + k·dilation, so the two exchange roles.

// product is a matrix product with windows as one operand.
type product struct {
	*exporter
	t            tensor
	windows      *value // the dense value that is shown
	axes         [][]*atom
	other        *value // [batch…, free, contracted]
	windowsFirst bool   // they are the first operand
	batch        int    // axes of the result before its matrix
}

// convolution computes a matrix product of t as a convolution, if an operand shows windows; else it returns nil.
func (e *exporter) convolution(t tensor, x, y *value) *value {
	if !t.dtype.IsFloat() || len(x.shape) < 2 || len(y.shape) < 2 || t.count() == 0 {
		return nil
	}
	if of, axes := e.atomsOf(y); of != nil {
		p := &product{exporter: e, t: t, windows: of, axes: axes, other: x, batch: len(t.shape) - 2}
		return p.write()
	}
	if of, axes := e.atomsOf(x); of != nil {
		last := len(x.shape) - 1
		axes[last-1], axes[last] = axes[last], axes[last-1]
		p := &product{exporter: e, t: t, windows: of, axes: axes, other: e.swapped(y), windowsFirst: true,
			batch: len(t.shape) - 2}
		return p.write()
	}
	return nil
}

// swapped exchanges the last two axes.
func (e *exporter) swapped(x *value) *value {
	order := allAxes(x)
	last := len(order) - 1
	order[last-1], order[last] = order[last], order[last-1]
	return e.transpose(x, order)
}

// spatial is an axis along which windows slide: the atom that stays in the result, and the one that is summed over; nil
// for a missing one.
type spatial struct {
	axis       int
	kept, gone *atom
}

func (s spatial) of(a *atom) (size, step int) {
	if a == nil {
		return 1, 1
	}
	return a.size, a.step
}

// write writes the convolution; nil if the product is not one.
func (p *product) write() *value {
	if !p.roles() {
		return nil
	}
	plain, slides, ok := p.sort()
	if !ok || len(slides) == 0 {
		return nil
	}
	image := p.image(plain, slides)
	kernel := p.kernel(plain[contracted], plain[shared], slides)
	if kernel == nil {
		return nil
	}
	shape := []int{image.shape[0], kernel.shape[0]}
	var strides, dilations, padding []int
	for i, s := range slides {
		kept, stride := s.of(s.kept)
		size, dilation := s.of(s.gone)
		shape, strides, dilations = append(shape, kept), append(strides, stride), append(dilations, dilation)
		padding = append(padding, 0, (kept-1)*stride+(size-1)*dilation+1-image.shape[2+i])
	}
	y := p.convolve(image, kernel, shape, window{strides, dilations, padding, nil}, sizeOf(plain[shared]))
	return p.arrange(y, plain, slides)
}

// roles finds the role of each atom in the product; false if it is not one of a convolution.
func (p *product) roles() bool {
	rank := len(p.axes)
	for i, group := range p.axes[:rank-2] {
		meets := sizeFrom(p.other.shape, rank-i)
		if len(group) == 0 && meets != 1 {
			return false
		}
		for _, a := range group {
			if meets != 1 {
				a.role = shared
			}
		}
	}
	for _, a := range p.axes[rank-2] {
		a.role = contracted
	}
	return len(p.other.shape) <= rank
}

// sort finds the axes of the dense value along which windows slide, and the atoms of its other axes by their roles,
// each in the order of the axes.
func (p *product) sort() (plain [3][]*atom, slides []spatial, ok bool) {
	atoms, step := slices.Concat(p.axes...), p.windows.count()
	for axis, size := range p.windows.shape {
		step /= size
		var here []*atom
		for _, a := range atoms {
			if step <= a.stride && a.stride < step*size {
				if a.axis, a.step = axis, a.stride/step; a.stride%step != 0 {
					return plain, nil, false
				}
				here = append(here, a)
			}
		}
		switch {
		case size == 1:
		case len(here) == 1 && here[0].size == size:
			plain[here[0].role] = append(plain[here[0].role], here[0])
		case len(here) == 0 || len(here) > 2:
			return plain, nil, false
		default:
			s := spatial{axis: axis}
			for _, a := range here {
				switch {
				case a.role == contracted && s.gone == nil:
					s.gone = a
				case a.role == free && s.kept == nil:
					s.kept = a
				default:
					return plain, nil, false
				}
			}
			slides = append(slides, s)
		}
	}
	placed := len(plain[free]) + len(plain[contracted]) + len(plain[shared])
	for _, s := range slides {
		for _, a := range []*atom{s.kept, s.gone} {
			if a != nil {
				placed++
			}
		}
	}
	return plain, slides, placed == len(atoms)
}

// sizeOf returns the number of elements of atoms.
func sizeOf(atoms []*atom) int {
	n := 1
	for _, a := range atoms {
		n *= a.size
	}
	return n
}

// image is the dense value as [batch, channels, places…].
func (p *product) image(plain [3][]*atom, slides []spatial) *value {
	var order []int
	for _, a := range slices.Concat(plain[free], plain[shared], plain[contracted]) {
		order = append(order, a.axis)
	}
	shape := []int{sizeOf(plain[free]), sizeOf(plain[shared]) * sizeOf(plain[contracted])}
	for _, s := range slides {
		order = append(order, s.axis)
		shape = append(shape, p.windows.shape[s.axis])
	}
	for axis, size := range p.windows.shape {
		if size == 1 {
			order = append(order, axis)
		}
	}
	return p.reshape(p.transpose(p.windows, order), shape)
}

// kernel is the other operand as [results, channels, places…].
func (p *product) kernel(channels, groups []*atom, slides []spatial) *value {
	rank := len(p.axes)
	results := p.other.shape[len(p.other.shape)-2]
	var given []*atom // the other operand's axes: of the groups, nil for the results, and those that are summed over
	for _, group := range p.axes[:rank-2] {
		for _, a := range group {
			if a.role == shared {
				given = append(given, a)
			}
		}
	}
	given = append(append(given, nil), p.axes[rank-2]...)
	var sizes []int
	for _, a := range given {
		if a == nil {
			sizes = append(sizes, results)
		} else {
			sizes = append(sizes, a.size)
		}
	}
	if (tensor{shape: sizes}).count() != p.other.count() {
		return nil
	}
	wanted := append(append(slices.Clone(groups), nil), channels...)
	shape := []int{sizeOf(groups) * results, sizeOf(channels)}
	for _, s := range slides {
		size, _ := s.of(s.gone)
		if shape = append(shape, size); s.gone != nil {
			wanted = append(wanted, s.gone)
		}
	}
	order := make([]int, len(wanted))
	for i, a := range wanted {
		order[i] = slices.Index(given, a)
	}
	return p.reshape(p.transpose(p.reshape(p.other, sizes), order), shape)
}

// arrange brings the axes of a convolution's result, [batch, results, places…], into the order of the product's.
func (p *product) arrange(y *value, plain [3][]*atom, slides []spatial) *value {
	rank := len(p.axes)
	has := append(append(slices.Clone(plain[free]), plain[shared]...), nil)
	for _, s := range slides {
		if s.kept != nil {
			has = append(has, s.kept)
		}
	}
	sizes := make([]int, len(has))
	for i, a := range has {
		if sizes[i] = p.other.shape[len(p.other.shape)-2]; a != nil {
			sizes[i] = a.size
		}
	}
	wanted := slices.Concat(p.axes[:rank-2]...)
	if p.windowsFirst {
		wanted = append(append(wanted, p.axes[rank-1]...), nil)
	} else {
		wanted = append(append(wanted, nil), p.axes[rank-1]...)
	}
	order := make([]int, len(wanted))
	for i, a := range wanted {
		order[i] = slices.Index(has, a)
	}
	return p.reshape(p.transpose(p.reshape(y, sizes), order), p.t.shape)
}

// window says how a kernel slides over an image. padding has, for each axis, the padding before and after.
type window struct{ strides, dilations, padding, spread []int }

// convolve writes a convolution of [batch, channels, places…] with [results, channels of a group, places…].
func (e *exporter) convolve(image, kernel *value, shape []int, w window, groups int) *value {
	places := ""
	for i := range w.strides {
		places += fmt.Sprintf(", %d", i)
	}
	pairs := make([]string, len(w.strides))
	for i := range pairs {
		pairs[i] = axes(w.padding[2*i : 2*i+2])
	}
	spread := w.spread
	if spread == nil {
		spread = slices.Repeat([]int{1}, len(w.strides))
	}
	attrs := []attr{
		{"window_strides", w.strides},
		{"padding", fmt.Sprintf("dense<[%s]> : tensor<%dx2xi64>", strings.Join(pairs, ", "), len(pairs))},
		{"lhs_dilation", spread}, {"rhs_dilation", w.dilations},
		{"dimension_numbers", fmt.Sprintf("#stablehlo.conv<[b, f%s]x[o, i%s]->[b, f%s]>", places, places, places)},
		{"feature_group_count", fmt.Sprintf("%d : i64", groups)}, {"batch_group_count", "1 : i64"}, precise,
	}
	return e.product(image, kernel, func(image, kernel *value, sums graph.DType) *value {
		return e.apply("stablehlo.convolution", tensor{sums, shape}, attrs, image, kernel)
	})
}
