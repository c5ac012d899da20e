package reference

import (
	"fmt"
	"unsafe"

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
			err := each(of, func(at []int) error {
				cells = append(cells, x.at(append(example[:len(example):len(example)], at...)))
				return nil
			})
			if err != nil {
				return err
			}
			a.In = append(a.In, arrayOf(in[i].dtype, of, cells))
		}
		out := shape[len(shape)-result:]
		cells := make([]cell, graph.Array{Shape: out}.NumElements())
		a.Out = arrayOf(n.DType(), out, cells)
		if err := n.Op().Function(&a); err != nil {
			return fmt.Errorf("example %v: %w", example, err)
		}
		t.store = append(t.store, cellsOf(a.Out)...)
		return nil
	})
	return t, err
}

// arrayOf lays cells out as a Go function reads them.
func arrayOf(t graph.DType, shape []int, cells []cell) graph.Array {
	a := graph.Array{DType: t, Shape: shape}
	switch data := cellsToSlice(t, cells).(type) {
	case []bool:
		a.Ptr = unsafe.Pointer(unsafe.SliceData(data))
	case []int32:
		a.Ptr = unsafe.Pointer(unsafe.SliceData(data))
	case []int64:
		a.Ptr = unsafe.Pointer(unsafe.SliceData(data))
	case []float32:
		a.Ptr = unsafe.Pointer(unsafe.SliceData(data))
	case []float64:
		a.Ptr = unsafe.Pointer(unsafe.SliceData(data))
	}
	return a
}

// cellsOf reads what a Go function has written.
func cellsOf(a graph.Array) []cell {
	switch a.DType {
	case graph.Bool:
		return toCells(graph.Elements[bool](a), boolCell)
	case graph.Int32:
		return toCells(graph.Elements[int32](a), func(x int32) cell { return intCell(int64(x)) })
	case graph.Int64:
		return toCells(graph.Elements[int64](a), intCell)
	case graph.Float32:
		return toCells(graph.Elements[float32](a), func(x float32) cell { return floatCell(float64(x)) })
	}
	return toCells(graph.Elements[float64](a), floatCell)
}
