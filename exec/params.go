package exec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/exec/internal/params"
	"github.com/broadloom/broadloom/graph"
)

// Param returns a copy of a parameter's value.
func (s *Session) Param(n *graph.Node) (Array, error) {
	v, err := s.value(n)
	if err != nil {
		return Array{}, err
	}
	if err := s.store.Acquire(false); err != nil {
		return Array{}, err
	}
	defer s.store.Release(false)
	return Array{Shape: v.Shape, Data: memory.SliceAt(v.Dtype, v.Ptr, v.Count)}.Clone(), nil
}

// SetParam copies a value, as in a [Feed], of the parameter's dtype and shape into a parameter.
func (s *Session) SetParam(n *graph.Node, value any) error {
	to, err := s.value(n)
	if err != nil {
		return err
	}
	var m memory.Value
	if err := takeParam(&m, value, n); err != nil {
		return err
	}
	if to.Borrowed {
		return fmt.Errorf("exec: parameter %s is in memory of BorrowParams, which sessions do not write: "+
			"pass the new value to BorrowParams of a new session, or do not borrow the parameter here", n.Label())
	}
	if err := s.store.Acquire(true); err != nil {
		return err
	}
	defer s.store.Release(true)
	memory.Copy(&to.Value, &m)
	to.Version++
	return nil
}

// takeParam takes a value that is given to a parameter.
func takeParam(m *memory.Value, value any, n *graph.Node) error {
	shape := knownSizes(n)
	err := take(m, value, n, shape, nil)
	switch {
	case err != nil:
		return fmt.Errorf("exec: parameter %s: %w", n.Label(), err)
	case m.Dtype != n.DType():
		return fmt.Errorf("exec: parameter %s needs dtype %s, got %s: use %s", n.Label(), n.DType(), m.Dtype,
			sliceOf(n.DType()))
	case !slices.Equal(m.Shape, shape):
		return fmt.Errorf("exec: parameter %s needs shape %v, got %v", n.Label(), shape, m.Shape)
	}
	return nil
}

// value finds a parameter of the session's program, or of a program whose session shares parameters with this one.
func (s *Session) value(n *graph.Node) (*params.Value, error) {
	switch {
	case s.err != nil:
		return nil, s.err
	case n == nil:
		return nil, errors.New(
			"exec: the parameter is nil: Graph.ByName returns nil for a name that the graph does not have")
	case n.Graph() != s.prog.source || !n.IsParam():
		return nil, fmt.Errorf("exec: %s is not a parameter of graph %q", n.Called(), s.prog.source.Name())
	}
	if v := s.store.Find(n); v != nil {
		return v, nil
	}
	return nil, fmt.Errorf("exec: parameter %s was declared (%s) after the program was compiled: compile it again",
		n.Label(), n.Pos())
}

// Params lists the parameters that the session holds, in the order of their declaration: those that the graph had when
// the program was compiled, or the program of a session with which it shares them.
func (s *Session) Params() ([]*graph.Node, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.store.Nodes(), nil
}
