package exec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Param gives a copy of a parameter's value.
func (s *Session) Param(n *graph.Node) (Array, error) {
	v, err := s.value(n)
	if err != nil {
		return Array{}, err
	}
	if err := s.store.acquire(false); err != nil {
		return Array{}, err
	}
	defer s.store.release(false)
	return Array{Shape: v.shape, Data: sliceAt(v.dtype, v.ptr, v.count)}.Clone(), nil
}

// SetParam copies a value into a parameter: a *tensor.Dense, an [Array] or a number of
// the parameter's dtype and shape.
func (s *Session) SetParam(n *graph.Node, value any) error {
	to, err := s.value(n)
	if err != nil {
		return err
	}
	var m memory
	err = take(&m, value, n.DType())
	switch {
	case err != nil:
		return fmt.Errorf("exec: parameter %s: %w", n.Label(), err)
	case m.dtype != to.dtype:
		return fmt.Errorf("exec: parameter %s wants dtype %s, got %s", n.Label(), to.dtype, m.dtype)
	case !slices.Equal(m.shape, to.shape):
		return fmt.Errorf("exec: parameter %s wants shape %v, got %v", n.Label(), to.shape, m.shape)
	}
	if err := s.store.acquire(true); err != nil {
		return err
	}
	defer s.store.release(true)
	copyBytes(&to.memory, &m)
	to.version++
	return nil
}

// value finds a parameter of the session's program, or of another one whose session shares
// parameters with this one.
func (s *Session) value(n *graph.Node) (*paramValue, error) {
	switch {
	case s.err != nil:
		return nil, s.err
	case n == nil:
		return nil, errors.New("exec: the parameter is nil")
	case n.Graph() != s.prog.source || !n.IsParam():
		return nil, fmt.Errorf("exec: %s is no parameter of graph %q", n.Called(), s.prog.source.Name())
	}
	if v := s.store.find(n); v != nil {
		return v, nil
	}
	return nil, fmt.Errorf("exec: parameter %s was declared (%s) after the program was compiled: compile it again", n.Label(), n.Pos())
}
