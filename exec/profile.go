package exec

import (
	"context"
	"fmt"
	"time"
)

// Profile is the measured time of a program's kernels.
type Profile struct {
	Runs    int
	Kernels []time.Duration // of Plan.Kernels: the shortest time of all runs

	times []time.Duration // of the run that goes on
}

// Profile runs the program several times and measures its kernels. It carries out the
// updates each time, as Run does.
func (s *Session) Profile(ctx context.Context, feed Feed, runs int) (*Profile, error) {
	if runs < 1 {
		return nil, fmt.Errorf("exec: a profile of %d runs: there must be at least one", runs)
	}
	p := &Profile{times: make([]time.Duration, len(s.prog.kernels)), Kernels: make([]time.Duration, len(s.prog.kernels))}
	s.profile = p
	defer func() { s.profile = nil }()
	for range runs {
		clear(p.times)
		if _, err := s.Run(ctx, feed); err != nil {
			return nil, err
		}
		for i, d := range p.times {
			if p.Runs == 0 || d < p.Kernels[i] {
				p.Kernels[i] = d
			}
		}
		p.Runs++
	}
	return p, nil
}

// start gives the time where a profile is taken.
func (p *Profile) start() (t time.Time) {
	if p != nil {
		t = time.Now()
	}
	return t
}

func (p *Profile) stop(kernel int, start time.Time) {
	if p != nil {
		p.times[kernel] += time.Since(start)
	}
}
