package broadloom

import (
	"testing"

	"github.com/broadloom/broadloom/bench/suite"
)

// Every workload's arena is little larger than the values that are alive at once.
func TestPlansAreTight(t *testing.T) {
	const padding = 64 // bytes that a value may lose to alignment
	for _, w := range suite.All() {
		p, err := New(w, w.Inputs())
		if err != nil {
			t.Fatalf("%s: %v", w.Name, err)
		}
		prog := p.session.Program()
		s, err := prog.Stats(nil)
		if err != nil {
			t.Fatalf("%s: %v", w.Name, err)
		}
		t.Logf("%s: %+v: %.3f", w.Name, *s, float64(s.Peak)/float64(s.Live))
		if most := s.Live + s.Live*3/100 + padding*len(prog.Plan().Buffers); s.Peak > most || s.Peak < s.Live {
			t.Errorf("%s: an arena of %d bytes for %d that are alive at once", w.Name, s.Peak, s.Live)
		}
		if s.Moved > s.Unfused || s.Kernels != prog.Kernels() {
			t.Errorf("%s: %+v", w.Name, *s)
		}
	}
}
