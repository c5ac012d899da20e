package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/opref"
)

// examples makes tasks of the examples in the reference of operations that PyTorch has. Operands have the given dtype
// if they can, and named sizes are so large that no operand and no result has more than the given elements.
func examples(t graph.DType, elements int) (tasks []task, err error) {
	calls, err := opref.CallsIn("torch")
	if err != nil {
		return nil, err
	}
	for _, c := range calls {
		if c.Text == "" || strings.Contains(c.Text, "torchvision.") || otherwise[c.Row] != "" {
			continue
		}
		results, err := opref.Example(c.Of, t)
		r, failed := opref.Of(c.Of)
		if err != nil || failed != nil || r.Cost == "none: it is a view" || len(results[0].Graph().Inputs()) == 0 {
			continue // another dtype, nothing that is computed, or nothing to compute with
		}
		sizes := sizesFor(results, elements)
		bound := elements
		if len(sizes) > 0 {
			bound = slices.Min(slices.Collect(maps.Values(sizes)))
		}
		one := task{
			name: c.Row, call: c.Text, sizes: sizes,
			build: func() (results, updates []node, err error) {
				results, err = opref.Example(c.Of, t)
				return results, nil, err
			},
			bound: func(string) int { return bound },
		}
		tasks = append(tasks, one)
		isFloat := func(x node) bool { return x.DType().IsFloat() }
		if isFloat(results[0]) && slices.ContainsFunc(results[0].Graph().Inputs(), isFloat) && c.Of.NoGradient == "" {
			one.name += ", gradient"
			if otherwise[one.name] == "" {
				one.grad = true
				tasks = append(tasks, one)
			}
		}
	}
	return tasks, nil
}

// otherwise are the operations whose results are not those of PyTorch for the numbers here, with the reason.
var otherwise = map[string]string{
	"CTC":                 "the lengths of targets have to fit, as in the table",
	"Scatter, gradient":   "PyTorch gives all elements that come to one place its gradient",
	"IndexCopy, gradient": "as for Scatter",
	"PutFlat, gradient":   "as for Scatter",
	"x.scatter(1, y, z) [1000 500; int64<500 1000 300; 1000 300], gradient": "as for Scatter",
	"x.index_copy(0, y, z) [1000 500; int64<1000 500; 500 500], gradient":   "as for Scatter",
	"torch.bincount(x, y, 1000) [int64<1000 500000; 500000], gradient":      "PyTorch has none",
	"torch.histc(x, 100, -3, 3) [500000], gradient":                         "PyTorch has none",
	"MaxUnpool, gradient":          "as for Scatter",
	"SoftMargin, gradient":         "PyTorch's for the target is NaN",
	"Digamma, gradient":            "PyTorch loses digits near poles",
	"Polygamma":                    "as for Digamma",
	"Polygamma, gradient":          "as for Digamma",
	"Sinc, gradient":               "PyTorch loses digits near 0",
	"UniqueConsecutive":            "it pads results",
	"BroadcastTensors, gradient":   "PyTorch gives views",
	"UnravelIndex":                 "as for UniqueConsecutive",
	"Vander, gradient":             "PyTorch has none",
	"BatchNormInference, gradient": "PyTorch has none for the statistics",
}

// sizesFor finds the greatest size for all names.
func sizesFor(results []node, elements int) map[string]int {
	g := results[0].Graph()
	all := append(slices.Clone(g.Inputs()), results...)
	v := 1
	for mostElements(all, v+1+v/16) <= elements && v < elements {
		v += 1 + v/16
	}
	sizes := map[string]int{}
	for _, name := range g.DimNames() {
		sizes[name] = v
	}
	return sizes
}

// mostElements is the number of elements of the largest of some values if all names have the given size.
func mostElements(values []node, size int) (most int) {
	for _, n := range values {
		count := 1
		for _, d := range n.Shape() {
			v, err := d.Eval(func(string) (int64, bool) { return int64(size), true })
			if err != nil {
				return 0
			}
			count *= int(v)
		}
		most = max(most, count)
	}
	return most
}
