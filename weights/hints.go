package weights

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/blockwise"
	"github.com/broadloom/broadloom/internal/raw"
)

// hints say what most likely differs between a file and parameters, and which option says so.
func (o options) hints(params []*graph.Node, f *File, sources [][]string) (hints []string) {
	var missing []string
	for i, n := range params {
		if sources[i] == nil {
			missing = append(missing, f.without(o.tensorsOf(n))...)
		}
	}
	if h := prefixHint(missing, f); h != "" {
		hints = append(hints, h)
	}
	if h := partsHint(missing, f); h != "" {
		hints = append(hints, h)
	}
	if h := o.transposedHint(params, f, sources); h != "" {
		hints = append(hints, h)
	}
	if h := o.levelsHint(params, f, sources); h != "" {
		hints = append(hints, h)
	}
	if h := o.headHint(params, f, sources); h != "" && len(hints) == 0 {
		hints = append(hints, h)
	}
	return hints
}

// headHint finds a few layers whose tensors have other shapes, such as a head for another number of classes, in a file
// that otherwise matches.
func (o options) headHint(params []*graph.Node, f *File, sources [][]string) string {
	var patterns []string
	fitting, other := 0, 0
	for i, n := range params {
		want, known := shapeOf(n, o.quantised(n, f))
		switch {
		case len(sources[i]) != 1 || !known || o.isTransposed(n):
		case slices.Equal(want, f.infos(sources[i])[0].Shape):
			fitting++
		default:
			other++
			pattern := n.Name()
			if n.Scope() != "" {
				pattern = n.Scope() + ".*"
			}
			if !matches(n.Name(), patterns...) {
				patterns = append(patterns, pattern)
			}
		}
	}
	if other == 0 || fitting <= other || len(patterns) > maxNamed {
		return ""
	}
	for i, p := range patterns {
		patterns[i] = strconv.Quote(p)
	}
	return fmt.Sprintf("to load all but what has other shapes, such as a head for other classes, use weights.Except(%s)",
		strings.Join(patterns, ", "))
}

// levelsHint finds floating-point parameters for which the file has integers of 8 or 4 bits with scales.
func (o options) levelsHint(params []*graph.Node, f *File, sources [][]string) string {
	for i, n := range params {
		if len(sources[i]) != 1 || !n.DType().IsFloat() {
			continue
		}
		names := []string{sources[i][0], sources[i][0] + blockwise.ScaleSuffix}
		if len(f.without(names)) > 0 {
			continue
		}
		infos := f.infos(names)
		shape, known := n.KnownShape()
		levels, scales := infos[0].Shape, infos[1].Shape
		last := len(levels) - 1
		as := blockwise.Format{HasMinima: len(f.without([]string{sources[i][0] + blockwise.MinimumSuffix})) == 0}
		switch {
		case infos[0].DType == raw.I8, infos[0].DType == raw.U8 && as.HasMinima && known && slices.Equal(shape, levels):
			as.Bits = 8
		case infos[0].DType == raw.U8:
			as.Bits = 4
		}
		if as.Bits != 0 && len(scales) == len(levels) && last >= 0 && scales[last] > 0 {
			as.Block = levels[last] * 8 / as.Bits / scales[last]
			return fmt.Sprintf("the file holds weights %s: layers with the option %s(%d) take them", as.Describe(),
				as.Option(), as.Block)
		}
	}
	return ""
}

// prefixHint finds what stands before the names of most parameters that are missing, in the file or in the program
// alone.
func prefixHint(missing []string, f *File) string {
	inFile, inProgram := map[string]int{}, map[string]int{}
	for _, name := range missing {
		for _, t := range f.tensors {
			if p, ok := strings.CutSuffix(t.Name, name); ok && strings.HasSuffix(p, ".") {
				inFile[p]++
			}
			if p, ok := strings.CutSuffix(name, t.Name); ok && strings.HasSuffix(p, ".") {
				inProgram[p]++
			}
		}
	}
	file, program := commonest(inFile), commonest(inProgram)
	switch {
	case 2*inFile[file] > len(missing) && inFile[file] >= inProgram[program]:
		return fmt.Sprintf(
			"names in the file start with %q: weights.Rename(func(param string) string { return %s + param }) finds %d of them",
			file, strconv.Quote(file), inFile[file])
	case 2*inProgram[program] > len(missing):
		return fmt.Sprintf(
			"names in the program start with %q, but those in the file do not: weights.Rename(func(param string) string { return strings.TrimPrefix(param, %s) }) finds %d of them",
			program, strconv.Quote(program), inProgram[program])
	}
	return ""
}

// partsHint finds attention whose projections the file keeps apart, under the names of Hugging Face's models.
func partsHint(missing []string, f *File) string {
	for _, name := range missing {
		prefix, isPacked := strings.CutSuffix(name, "in_proj_weight")
		apart := []string{prefix + "q_proj.weight", prefix + "k_proj.weight", prefix + "v_proj.weight"}
		if isPacked && len(f.without(apart)) == 0 {
			return `the file keeps the projections of attention apart: weights.Parts(func(param string) []string { if p, ok := strings.CutSuffix(param, "in_proj_weight"); ok { return []string{p + "q_proj.weight", p + "k_proj.weight", p + "v_proj.weight"} }; return nil }) joins them; add a case for in_proj_bias if there is one`
		}
	}
	return ""
}

// commonest is the prefix that was counted most often, the shortest of several.
func commonest(counts map[string]int) string {
	best := ""
	for _, p := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	}) {
		if best == "" || counts[p] > counts[best] {
			best = p
		}
	}
	return best
}

// maxNamed bounds the names of parameters that a hint lists.
const maxNamed = 4

// transposedHint finds weights that fit as Flax and Keras keep theirs.
func (o options) transposedHint(params []*graph.Node, f *File, sources [][]string) string {
	kept := func(i int) (fits, fitsTransposed bool) {
		want, known := shapeOf(params[i], o.quantised(params[i], f))
		if len(sources[i]) != 1 || !known || len(want) < 2 {
			return true, true
		}
		shape := f.infos(sources[i])[0].Shape
		return slices.Equal(want, shape), slices.Equal(kernelShape(want), shape)
	}
	var names []string
	for i, n := range params {
		if fits, fitsTransposed := kept(i); !fits && fitsTransposed && !o.isTransposed(n) {
			names = append(names, n.Name())
		}
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) > maxNamed {
		all := "*." + names[0][strings.LastIndexByte(names[0], '.')+1:]
		isAll := !slices.ContainsFunc(names, func(name string) bool { return !matches(name, all) })
		for i, n := range params {
			_, fitsTransposed := kept(i)
			isAll = isAll && (!matches(n.Name(), all) || fitsTransposed)
		}
		if isAll {
			names = []string{all}
		}
	}
	for i, name := range names {
		names[i] = strconv.Quote(name)
	}
	return fmt.Sprintf("tensors have the axes of Flax and Keras, inputs before outputs: use weights.Transposed(%s)",
		strings.Join(names, ", "))
}

// isTransposed reports whether the file is said to have the weight as Flax and Keras keep it.
func (o options) isTransposed(n *graph.Node) bool {
	shape, known := n.KnownShape()
	return known && len(shape) > 1 && matches(n.Name(), o.transposed...)
}

// kernelShape is the shape of a weight [out, in, …] as Flax and Keras keep it, […, in, out].
func kernelShape(shape []int) []int { return append(slices.Clone(shape[2:]), shape[1], shape[0]) }

// fromKernel returns the elements of a tensor […, in, out] in the order of the weight [out, in, …] of a shape.
func fromKernel(data any, t graph.DType, shape []int) any {
	return reordered(data, t, shape, func(weight, kernel int) (to, from int) { return weight, kernel })
}

// toKernel is the way back from [fromKernel].
func toKernel(data any, t graph.DType, shape []int) any {
	return reordered(data, t, shape, func(weight, kernel int) (to, from int) { return kernel, weight })
}

// reordered moves each element between its places in a weight [out, in, …] of a shape, and in the kernel […, in, out].
func reordered(data any, t graph.DType, shape []int, way func(weight, kernel int) (to, from int)) any {
	out, in, places := shape[0], shape[1], 1
	for _, n := range shape[2:] {
		places *= n
	}
	turned := t.MakeSlice(out * in * places)
	for o := range out {
		for i := range in {
			for p := range places {
				to, from := way((o*in+i)*places+p, (p*in+i)*out+o)
				v, whole := graph.NumberAt(data, from)
				graph.SetNumberAt(turned, to, v, whole)
			}
		}
	}
	return turned
}
