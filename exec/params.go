package exec

import (
	"fmt"
	"hash/fnv"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/pages"
)

// paramStore holds parameters' values; sessions may share it.
type paramStore struct {
	nodes    []*graph.Node
	memory   []memory
	versions []int // how often each has been written
}

// newParamStore makes memory for parameters, all in one piece so that it can be large
// pages, and fills in their first values.
func newParamStore(params []*graph.Node, seed uint64) *paramStore {
	st := &paramStore{nodes: params, memory: make([]memory, len(params)), versions: make([]int, len(params))}
	offsets, size := make([]int, len(params)), 0
	for i, n := range params {
		m := &st.memory[i]
		m.dtype, m.shape, m.count = n.DType(), wholeShape(n), 1
		for _, d := range m.shape {
			m.count *= d
		}
		offsets[i] = size
		size += (m.count*m.dtype.Size() + alignment - 1) / alignment * alignment
	}
	room := pages.Make[byte](size)
	for i, n := range params {
		m := &st.memory[i]
		if m.count == 0 {
			continue
		}
		m.ptr = unsafe.Pointer(&room[offsets[i]])
		if init := n.Attrs().(graph.ParamAttrs).Init; init != nil {
			h := fnv.New64a()
			h.Write([]byte(n.Name()))
			init.Fill(sliceAt(m.dtype, m.ptr, m.count), m.shape, seed^h.Sum64())
		}
	}
	return st
}

func makeSlice(t graph.DType, n int) any {
	switch t {
	case graph.Bool:
		return make([]bool, n)
	case graph.Int32:
		return make([]int32, n)
	case graph.Int64:
		return make([]int64, n)
	case graph.Float32:
		return make([]float32, n)
	}
	return make([]float64, n)
}

// Param gives a copy of a parameter's value.
func (s *Session) Param(n *graph.Node) (Array, error) {
	i, err := s.paramIndex(n)
	if err != nil {
		return Array{}, err
	}
	m := &s.store.memory[i]
	data := makeSlice(m.dtype, m.count)
	c, a := memory{}, Array{Shape: m.shape, Data: data}
	_ = c.setArray(&a)
	copyBytes(&c, m)
	return a, nil
}

// SetParam copies a value into a parameter: a *tensor.Dense, an [Array] or a number of
// the parameter's dtype and shape.
func (s *Session) SetParam(n *graph.Node, v any) error {
	i, err := s.paramIndex(n)
	if err != nil {
		return err
	}
	var m memory
	err = m.set(v, n.DType())
	to := &s.store.memory[i]
	switch {
	case err != nil:
		return fmt.Errorf("exec: parameter %s: %w", n.Label(), err)
	case m.dtype != to.dtype:
		return fmt.Errorf("exec: parameter %s wants dtype %s, got %s", n.Label(), to.dtype, m.dtype)
	case fmt.Sprint(m.shape) != fmt.Sprint(to.shape) && (len(m.shape) != 0 || len(to.shape) != 0):
		return fmt.Errorf("exec: parameter %s wants shape %v, got %v", n.Label(), to.shape, m.shape)
	}
	copyBytes(to, &m)
	s.store.versions[i]++
	return nil
}

func (s *Session) paramIndex(n *graph.Node) (int, error) {
	for i, p := range s.prog.params {
		if p == n {
			return i, nil
		}
	}
	if n == nil {
		return 0, fmt.Errorf("exec: the parameter is nil")
	}
	return 0, fmt.Errorf("exec: %s is no parameter of graph %q", n.Label(), s.prog.source.Name())
}

func copyBytes(to, from *memory) {
	if from.count > 0 {
		size := from.count * from.dtype.Size()
		copy(unsafe.Slice((*byte)(to.ptr), size), unsafe.Slice((*byte)(from.ptr), size))
	}
}
