package exec

import (
	"context"
	"fmt"
	"runtime/pprof"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/broadloom/broadloom/exec/internal/engine"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
)

// Profile is the measured time of a program's kernels.
type Profile struct {
	Runs    int
	Kernels []time.Duration // of Plan.Kernels: the shortest time of all runs

	times  []time.Duration // of the run that goes on
	labels []context.Context
	began  time.Time
	b      *engine.Specialization
	prog   *Program
}

// Profile runs the program several times and measures its kernels. It carries out the
// updates each time, as Run does. While it runs, samples of a CPU profile bear the label
// "kernel" with the kernel's number and operations: machine code has no symbols.
func (s *Session) Profile(ctx context.Context, feed Feed, runs int) (*Profile, error) {
	if runs < 1 {
		return nil, fmt.Errorf("exec: a profile of %d runs: there must be at least one", runs)
	}
	ctx = orBackground(ctx)
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.running.Store(false)
	p := &Profile{times: make([]time.Duration, len(s.prog.code.Kernels)), Kernels: make([]time.Duration, len(s.prog.code.Kernels))}
	p.prog, p.labels = s.prog, s.prog.labels(ctx)
	s.state.Observer = stopwatch{p}
	defer func() {
		s.state.Observer = nil
		pprof.SetGoroutineLabels(ctx)
	}()
	for range runs {
		clear(p.times)
		if _, err := s.run(ctx, feed); err != nil {
			return nil, err
		}
		for i, d := range p.times {
			if p.Runs == 0 || d < p.Kernels[i] {
				p.Kernels[i] = d
			}
		}
		p.Runs++
	}
	p.b = s.bindings[0].Specialization
	return p, nil
}

// labels returns a context with a profile's label for each kernel.
func (p *Program) labels(ctx context.Context) []context.Context {
	list := make([]context.Context, len(p.code.Kernels))
	for i, k := range p.code.Kernels {
		list[i] = pprof.WithLabels(ctx, pprof.Labels("kernel", fmt.Sprintf("%d %s", i, operations(k.Computes()))))
	}
	return list
}

// stopwatch takes the times of kernels for a profile.
type stopwatch struct{ p *Profile }

func (w stopwatch) Start(kernel int) {
	pprof.SetGoroutineLabels(w.p.labels[kernel])
	w.p.began = time.Now()
}

func (w stopwatch) Stop(kernel int) { w.p.times[kernel] += time.Since(w.p.began) }

// String returns a table of the kernels: the time of each and its share, bytes and
// operations a second, what it computes, and the calls of the user's program to which that
// belongs.
func (p *Profile) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	total := time.Duration(0)
	for _, d := range p.Kernels {
		total += d
	}
	fmt.Fprintln(w, "kernel\ttime\tshare\tGB/s\tGFLOP/s\toperations\tfrom")
	for i, d := range p.Kernels {
		k := p.prog.code.Kernels[i]
		moved, _ := p.b.Traffic(k)
		nanos := max(float64(d.Nanoseconds()), 1)
		fmt.Fprintf(w, "%d\t%v\t%.1f %%\t%.1f\t%.1f\t%s\t%s\n", i, d, 100*float64(d)/max(float64(total), 1),
			float64(moved)/nanos, float64(p.b.Flops(k))/nanos, operations(k.Computes()), places(k.Computes()))
	}
	fmt.Fprintf(w, "all\t%v\n", total)
	w.Flush()
	return b.String()
}

// mostShown bounds what a line of a profile lists.
const mostShown = 5

// operations names what the kernel computes: "sub exp sum div".
func operations(k *fusion.Group) string {
	names := make([]string, len(k.Members()))
	for i, n := range k.Members() {
		names[i] = n.Op().Name
	}
	return shortened(names)
}

// places lists the calls of the user's program that the kernel's nodes belong to.
func places(k *fusion.Group) string {
	var list []string
	for _, n := range k.Nodes {
		place := graph.Calling(n) + " at " + n.Pos().Short()
		if !slices.Contains(list, place) {
			list = append(list, place)
		}
	}
	return shortened(list)
}

func shortened(words []string) string {
	if len(words) > mostShown {
		words = append(slices.Clone(words[:mostShown]), fmt.Sprintf("and %d more", len(words)-mostShown))
	}
	return strings.Join(words, ", ")
}
