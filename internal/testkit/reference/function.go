package reference

import (
	"fmt"
	"reflect"

	"github.com/broadloom/broadloom/graph"
)

// function calls an operation's Go function for each example.
func (e *evaluator) function(n *graph.Node, in []tensor) (tensor, error) {
	core, result := n.Op().Core(n)
	shape, err := e.ints(n.Shape())
	if err != nil {
		return tensor{}, err
	}
	whole := make([]reader, len(in))
	for i, x := range in {
		if whole[i], err = e.reader(x); err != nil {
			return tensor{}, err
		}
	}
	t := tensor{dtype: n.DType(), layout: graph.RowMajor(n.Shape())}
	err = each(shape[:len(shape)-result], func(example []int) error {
		a := graph.Arrays{Attrs: n.Attrs()}
		for i, x := range whole {
			var cells []cell
			of := x.shape[len(x.shape)-core[i]:]
			before := example[:min(len(example), len(x.shape)-core[i])] // none of an operand that is whole
			err := each(of, func(at []int) error {
				cells = append(cells, x.at(append(before[:len(before):len(before)], at...)))
				return nil
			})
			if err != nil {
				return err
			}
			a.In = append(a.In, arrayOf(functionDType(n.Op(), in[i].dtype), of, cells))
		}
		out := shape[len(shape)-result:]
		cells := make([]cell, graph.Array{Shape: out}.NumElements())
		a.Out = arrayOf(functionDType(n.Op(), n.DType()), out, cells)
		if err := n.Op().Function(&a); err != nil {
			return fmt.Errorf("example %v: %w", example, err)
		}
		for _, c := range cellsOf(a.Out) {
			t.store = append(t.store, stored(n.DType(), wrappedIfInt(n.DType(), c)))
		}
		return nil
	})
	return t, err
}

// functionDType is the dtype of elements that a Go function gets. Uint64 is not converted, nor are elements of an
// ordered operation or of one that says so; others have the dtype in which they are computed.
func functionDType(op *graph.Op, t graph.DType) graph.DType {
	if t == graph.Uint64 || op.Ordered || op.AsStored {
		return t
	}
	return t.Computed()
}

func wrappedIfInt(t graph.DType, c cell) cell {
	if t.IsInt() {
		return wrapped(t, c.int())
	}
	return c
}

// arrayOf converts cells to an array for a Go function.
func arrayOf(t graph.DType, shape []int, cells []cell) graph.Array {
	return graph.Array{DType: t, Shape: shape, Ptr: reflect.ValueOf(cellsToSlice(t, cells)).UnsafePointer()}
}

// cellsOf converts the array that a Go function has written.
func cellsOf(a graph.Array) []cell {
	n := a.NumElements()
	if n == 0 {
		return nil
	}
	return sliceToCells(
		reflect.NewAt(reflect.ArrayOf(n, a.DType.SliceType().Elem()), a.Ptr).Elem().Slice(0, n).Interface())
}
