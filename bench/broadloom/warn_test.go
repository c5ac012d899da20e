package broadloom

import (
	"testing"

	"github.com/broadloom/broadloom/bench/suite"
)

// The workloads are right, so that nothing is warned of.
func TestNoWarnings(t *testing.T) {
	for _, w := range suite.All() {
		p, err := New(w, w.Inputs())
		if err != nil {
			t.Fatalf("%s: %v", w.Name, err)
		}
		for _, m := range p.session.Program().Warnings() {
			t.Errorf("%s: %s", w.Name, m)
		}
	}
}
