package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// entry is an operation on operands x, y and z.
type entry struct {
	// operands: "1000 50; int64<1000 200; share 9", with a dtype where it is not float32, and the bound or the kind of
	// numbers
	in    string
	call  string // in PyTorch
	build func(x, y, z node) node
}

// names are those of the operands of entries.
var names = []string{"x", "y", "z"}

// table makes tasks of all entries, forward and with gradients, and of the steps of optimisers.
func table() (list []task) {
	for _, entries := range [][]entry{pooling, resizing, reducing, running, moving, broadcasting, gathering,
		normalizing, converting, computing, losing} {
		for _, e := range entries {
			t := e.task()
			list = append(list, t)
			results, _, _ := t.build()
			isFloat := func(x node) bool { return x.DType().IsFloat() }
			if isFloat(results[0]) && slices.ContainsFunc(results[0].Graph().Inputs(), isFloat) {
				t.name += ", gradient"
				t.grad = true
				if otherwise[t.name] == "" {
					list = append(list, t)
				}
			}
		}
	}
	for _, e := range drawing {
		t := e.task()
		t.drawn = true
		list = append(list, t)
	}
	return append(list, steps()...)
}

// operand is how an entry describes an operand.
type operand struct {
	dtype graph.DType
	shape graph.Shape
	kind  kind
	bound int
}

// parseOperand reads the description of an operand.
func parseOperand(text string) (o operand, err error) {
	o = operand{dtype: graph.Float32, bound: 1 << 30}
	for word := range strings.FieldsSeq(text) {
		if n, err := strconv.Atoi(word); err == nil {
			o.shape = append(o.shape, graph.Dim(n))
			continue
		}
		word, bound, bounded := strings.Cut(word, "<")
		if bounded {
			if o.bound, err = strconv.Atoi(bound); err != nil {
				return o, err
			}
		}
		if k, is := kindWords[word]; is {
			o.kind = k
			continue
		}
		at := slices.IndexFunc(graph.DTypes(), func(t graph.DType) bool { return t.String() == word })
		if at < 0 {
			return o, fmt.Errorf("%q in %q is neither a dtype nor a kind of numbers", word, text)
		}
		o.dtype = graph.DTypes()[at]
	}
	return o, nil
}

// task is the operation alone.
func (e entry) task() task {
	operands := map[string]operand{}
	var failed error
	for i, text := range strings.Split(e.in, ";") {
		o, err := parseOperand(text)
		operands[names[i]] = o
		if err != nil {
			failed = err
		}
	}
	return task{
		name: e.call + " [" + e.in + "]", call: e.call,
		kinds: func(name string) kind { return operands[name].kind },
		bound: func(name string) int { return operands[name].bound },
		build: func() (results, updates []node, err error) {
			g := graph.New("operation")
			var in [3]node
			for i, name := range names[:len(operands)] {
				in[i] = g.Input(name, operands[name].dtype, operands[name].shape...)
			}
			return []node{e.build(in[0], in[1], in[2])}, nil, failed
		},
	}
}
