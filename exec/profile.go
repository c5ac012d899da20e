package exec

import (
	"cmp"
	"context"
	"fmt"
	"runtime/pprof"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
)

// Profile is the measured time of a program's kernels. [Profile.String] is a table of it, [Profile.Report] compares the
// kernels with the limits of the machine, and [Profile.WriteTrace] writes when each of them ran.
type Profile struct {
	Runs    int
	Kernels []time.Duration // of Plan.Kernels: the shortest time of all runs

	recorder *recorder
	prog     *Program
}

// Profile runs the program several times and measures its kernels. It performs the updates each time, as Run does.
// While it runs, samples of a CPU profile have a label "kernel" with the kernel's number and operations, because
// machine code has no symbols.
func (s *Session) Profile(ctx context.Context, feed Feed, runs int) (*Profile, error) {
	if runs < 1 {
		return nil, fmt.Errorf("exec: a profile of %d runs: there must be at least one", runs)
	}
	ctx = orBackground(ctx)
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.running.Store(false)
	r := newRecorder(ctx, s.prog.code.Kernels, s.state.Threads)
	p := &Profile{recorder: r, prog: s.prog}
	s.state.Observer = r
	defer func() {
		s.state.Observer = nil
		pprof.SetGoroutineLabels(ctx)
	}()
	for p.Runs < runs {
		r.beginRun()
		if _, err := s.run(ctx, feed); err != nil {
			return nil, err
		}
		r.endRun(p.Runs == 0)
		p.Runs++
	}
	for _, at := range r.at {
		p.Kernels = append(p.Kernels, r.measured[at].best)
	}
	r.bind(s.bindings[0].Specialization)
	return p, nil
}

// errNoProfile is the error of methods that need a profile made by a session.
var errNoProfile = fmt.Errorf("exec: the profile was not made by a session: see Session.Profile")

// total returns the time of a run, summed over its kernels.
func (p *Profile) total() (sum time.Duration) {
	for _, d := range p.Kernels {
		sum += d
	}
	return sum
}

// String returns a table of the kernels: the time of each and its share, bytes and operations per second, what it
// computes, and the user's calls that it implements. The kernels of a loop's body are listed below it, with the time of
// all steps.
func (p *Profile) String() string {
	if p.prog == nil {
		return errNoProfile.Error()
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kernel\tpasses\ttime\tshare\tGB/s\tGFLOP/s\toperations\tfrom")
	for _, r := range withBodies(p.Roofline(Machine{})) {
		fmt.Fprintf(w, "%s\t%d\t%v\t%s\t%.1f\t%.1f\t%s\t%s\n", r.Number, r.Passes, r.Time, percent(r.Share),
			r.rate(r.Bytes), r.rate(r.Flops), r.Operations, places(r.computes))
	}
	fmt.Fprintf(w, "all\t\t%v\n", p.total())
	w.Flush()
	return b.String()
}

// mostShown is the most items that a line of a profile lists.
const mostShown = 5

// operations names what a kernel computes: "sub exp sum div".
func operations(k *fusion.Group) string {
	names := make([]string, len(k.Members()))
	for i, n := range k.Members() {
		names[i] = n.Op().Name
	}
	return shortened(names)
}

// place is a line of the user's program from which a kernel comes, with the calls there.
type place struct {
	pos   graph.Pos
	calls []string
}

// placesOf lists the distinct lines of the user's program from which a kernel's nodes come.
func placesOf(k *fusion.Group) (list []place) {
	for _, n := range k.Nodes {
		at := slices.IndexFunc(list, func(p place) bool { return isLine(p.pos, n.Pos()) })
		if at < 0 {
			at, list = len(list), append(list, place{pos: n.Pos()})
		}
		if call := graph.Calling(n); !slices.Contains(list[at].calls, call) {
			list[at].calls = append(list[at].calls, call)
		}
	}
	return list
}

// String formats the place with its calls and the text of the line.
func (p place) String() string {
	f, known := p.pos.Frame()
	if !known {
		return fmt.Sprintf("%s (%s)", p.pos, shortened(p.calls))
	}
	return fmt.Sprintf("%s (%s)  %s", f.In(""), shortened(p.calls), f.Source())
}

// isLine reports whether two positions of calls are on one line of a file.
func isLine(p, q graph.Pos) bool {
	f, knownF := p.Frame()
	g, knownG := q.Frame()
	return knownF == knownG && f.File == g.File && f.Line == g.Line
}

// places formats the calls of the user's program from which the kernel's nodes come.
func places(k *fusion.Group) string {
	var list []string
	for _, p := range placesOf(k) {
		for _, call := range p.calls {
			list = append(list, call+" at "+p.pos.Short())
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

// slowest returns the kernels that take the most time, slowest first. Loops are replaced by their kernels.
func slowest(list []KernelRoofline, most int) []KernelRoofline {
	list = slices.DeleteFunc(withBodies(list), func(r KernelRoofline) bool { return len(r.Body) > 0 })
	list = slices.SortedStableFunc(slices.Values(list), func(a, b KernelRoofline) int {
		return cmp.Compare(b.Time, a.Time)
	})
	return list[:min(len(list), most)]
}
