package exec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/exec/internal/params"
	"github.com/broadloom/broadloom/graph"
)

// BorrowParams starts a session with these values of parameters, given as in a [Feed], and reads them in place: a large
// model starts without a copy, and without computing initial values that nothing reads. The memory must be neither
// changed nor freed while a session uses it. A value that is not a dense slice in row-major order is copied, and so are
// parameters that the program writes. A borrowed parameter cannot be set, and a session whose program writes it cannot
// share it. Invalid values make each call of the session return an error.
func BorrowParams(values Feed) SessionOption {
	return func(s *Session) {
		if s.lent == nil {
			s.lent = Feed{}
		}
		maps.Copy(s.lent, values)
	}
}

// borrowed returns the values that the session reads in place, and those of parameters that its program writes.
func (s *Session) borrowed() (read, written map[*graph.Node]*params.Value, err error) {
	var strange []string
	read, written = map[*graph.Node]*params.Value{}, map[*graph.Node]*params.Value{}
	for n, value := range s.lent {
		if !slices.Contains(s.prog.params, n) {
			strange = append(strange, s.prog.whyNoParam(n))
			continue
		}
		v := &params.Value{Borrowed: true}
		if err := takeParam(&v.Value, value, n); err != nil {
			return nil, nil, err
		}
		v.Shape = knownSizes(n)
		read[n] = v
	}
	if len(strange) > 0 {
		slices.Sort(strange)
		return nil, nil, fmt.Errorf("exec: passed to BorrowParams, but not a parameter of the program: %s",
			strings.Join(strange, "; "))
	}
	for _, i := range s.prog.code.Written {
		n := s.prog.params[i]
		if v := s.store.Find(n); v != nil && v.Borrowed {
			return nil, nil, fmt.Errorf(
				"exec: the program writes parameter %s, which the session that it shares with has borrowed (BorrowParams): "+
					"do not borrow it there, and set it with SetParam", n.Label())
		}
		if v, given := read[n]; given {
			written[n] = v
			delete(read, n)
		}
	}
	s.lent = nil
	return read, written, nil
}

// ownWritten copies values into the session's own memory.
func (s *Session) ownWritten(values map[*graph.Node]*params.Value) error {
	for n, v := range values {
		to, err := s.value(n)
		if err != nil {
			return err
		}
		memory.Copy(&to.Value, &v.Value)
		to.Version++
	}
	return nil
}

// checkBorrowed rejects memory that a run writes if it overlaps a borrowed parameter.
func (s *Session) checkBorrowed(written *memory.Value, in *graph.Node) error {
	for i, v := range s.state.Params {
		if v.Borrowed && v.Meets(written) {
			return fmt.Errorf(
				"exec: input %s is written in place, but the memory fed to it is that of parameter %s, which is borrowed: feed a copy",
				in.Label(), s.prog.params[i].Label())
		}
	}
	return nil
}

func (p *Program) whyNoParam(n *graph.Node) string {
	switch {
	case n == nil:
		return "a nil node"
	case n.Graph() != p.source:
		return fmt.Sprintf("%s, which is not a node of graph %q", n.Called(), p.source.Name())
	case n.IsParam():
		return fmt.Sprintf("%s, which was declared (%s) after the program was compiled: compile it again", n.Label(),
			n.Pos())
	}
	return fmt.Sprintf("%s (%s)", n.Called(), n.Pos())
}
