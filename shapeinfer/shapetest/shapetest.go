// Package shapetest checks the shapes of models in tests. Warnings elsewhere are
// failures here, so that a mistake which computes something is found before training.
//
//	func TestShapes(t *testing.T) {
//		shapetest.Check(t, classifier())
//	}
package shapetest

import (
	"os"
	"slices"
	"testing"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Option changes a check; nil has no effect.
type Option func(*settings)

type settings struct {
	isProgram bool
	roots     []*graph.Node
	allowed   []graph.Code
	sizes     []shapeinfer.Sizes
	proved    bool
}

// AllowWarnings allows warnings with the given codes; without a code, all of them. For one warning at one node, use
// [graph.Node.Silence] there instead.
func AllowWarnings(codes ...graph.Code) Option {
	return func(s *settings) {
		if len(codes) == 0 {
			codes = append(codes, everyCode)
		}
		s.allowed = append(s.allowed, codes...)
	}
}

// everyCode means all codes.
const everyCode graph.Code = ""

// Program also checks what shows only in the program that computes the given values and performs the given writes:
// see [shapeinfer.CheckProgram].
func Program(roots ...*graph.Node) Option {
	return func(s *settings) { s.isProgram, s.roots = true, append(s.roots, roots...) }
}

// Sizes also binds named sizes: these must meet every requirement that is left to binding. Each such option is a
// separate trial.
func Sizes(sizes shapeinfer.Sizes) Option {
	return func(s *settings) { s.sizes = append(s.sizes, sizes) }
}

// AllProved refuses a model of which a requirement is left to the binding of sizes: its
// shapes are right for all sizes, or the test fails.
func AllProved() Option { return func(s *settings) { s.proved = true } }

// Check fails the test where the check of a graph finds mistakes, or warnings that are not
// allowed, and logs the report with its help. The test goes on; the report is returned.
func Check(t testing.TB, g *graph.Graph, opts ...Option) *shapeinfer.Report {
	t.Helper()
	var s settings
	for _, o := range opts {
		if o != nil {
			o(&s)
		}
	}
	r := s.check(g)
	if s.refuses(r) {
		dir, _ := os.Getwd() // without it, paths are shorter
		t.Errorf("\n%s", r.Text(dir))
	}
	if len(r.Errors) > 0 {
		return r
	}
	for _, sizes := range s.sizes {
		if _, err := shapeinfer.Bind(g, nil, r.Requirements, sizes); err != nil {
			t.Errorf("sizes %v:\n%v", sizes, err)
		}
	}
	return r
}

func (s *settings) check(g *graph.Graph) *shapeinfer.Report {
	if s.isProgram && g != nil {
		return shapeinfer.CheckProgram(g, s.roots...)
	}
	return shapeinfer.Check(g)
}

func (s *settings) refuses(r *shapeinfer.Report) bool {
	return len(r.Errors) > 0 || s.proved && len(r.Requirements) > 0 ||
		slices.ContainsFunc(r.Warnings, func(m *graph.Mistake) bool {
			return !slices.Contains(s.allowed, m.Code) && !slices.Contains(s.allowed, everyCode)
		})
}
