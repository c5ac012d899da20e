package exec

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/hugepage"
	"github.com/broadloom/broadloom/kernels/peak"
	"github.com/broadloom/broadloom/ops"
)

// Machine has the limits of a machine: the roof for the rates of kernels (Williams, Waterman, Patterson: "Roofline",
// Communications of the ACM 52, 2009). An unknown rate is 0.
type Machine struct {
	Threads int
	Copy    float64 // bytes per second read plus written when copying large arrays
	Float32 float64 // operations per second on 4-byte elements in registers
	Float64 float64 // the same on elements of 8 bytes
}

// copiedElements is the length of the float32 arrays whose copy is measured; few caches hold that much. copySamples is
// the number of measurements.
const (
	copiedElements = 32 << 20
	copySamples    = 12
)

// MeasureMachine measures the machine's limits on the given number of threads, from one to the number of processors. It
// takes a few tenths of a second and 256 MB of memory; nothing else should run meanwhile. It returns an error if there
// is not enough memory.
func MeasureMachine(threads int) (Machine, error) {
	m := Machine{Threads: max(min(threads, runtime.NumCPU()), 1)}
	m.Float32, m.Float64 = peak.Rate(m.Threads, 4), peak.Rate(m.Threads, 8)
	g := graph.New("copy")
	x := g.Input("x", graph.Float32, copiedElements)
	prog, err := Compile(g, Outputs(ops.Copy(x)))
	if err != nil {
		return m, err
	}
	p, err := prog.NewSession(Threads(m.Threads)).Profile(
		context.Background(),
		Feed{x: Array{Shape: []int{copiedElements}, Data: hugepage.Make[float32](copiedElements)}}, copySamples)
	if err != nil {
		return m, err
	}
	m.Copy = 2 * 4 * copiedElements / p.total().Seconds()
	return m, nil
}

// String lists the rates.
func (m Machine) String() string {
	return fmt.Sprintf(
		"%d thread(s) copy %.1f GB/s and compute %.1f GFLOP/s on elements of 4 bytes, %.1f on those of 8",
		m.Threads, m.Copy/1e9, m.Float32/1e9, m.Float64/1e9)
}

// KernelRoofline compares a kernel with the limits of a machine. For a kernel in a loop's body, time, bytes and
// operations are those of all passes. Kernels that run together, a block of rows at a time, are measured as one: the
// first has the time, bytes and operations of all.
type KernelRoofline struct {
	Kernel int    // of Plan.Kernels, or of the plan of the loop's body
	Number string // the same in text: "3.1" is kernel 1 of the body of loop 3
	// how often it ran in a run: in a loop's body, once per step; 0 if its results are kept between runs
	Passes     int
	Time       time.Duration
	Share      float64 // of the time of all kernels
	Bytes      int     // read and written, each operand and each result once per pass
	Flops      int     // operations on elements, as [Stats] counts them; for a loop, those of the steps taken
	OfCopy     float64 // bytes per second, as a fraction of Machine.Copy; above 1 if they come from a cache
	OfPeak     float64 // operations per second, as a fraction of the machine's peak for the sizes of elements
	Operations string  // what it computes

	Body []KernelRoofline // of a loop

	computes *fusion.Group
	wide     int // of Flops, those on elements of 8 bytes
}

// Roof returns the limit that the kernel is closer to, "memory" or "arithmetic", or "" if neither is known.
func (r KernelRoofline) Roof() string {
	switch {
	case r.OfCopy == 0 && r.OfPeak == 0:
		return ""
	case r.OfCopy >= r.OfPeak:
		return "memory"
	}
	return "arithmetic"
}

// rate returns a number in billions per second.
func (r KernelRoofline) rate(n int) float64 {
	return float64(n) / max(float64(r.Time.Nanoseconds()), 1)
}

// Roofline compares each kernel with the machine's limits. Bytes and operations are counted from the plan, with the
// sizes of the profile's runs. For a profile that was not made by a session it returns only times.
func (p *Profile) Roofline(m Machine) []KernelRoofline {
	if p.prog == nil {
		var list []KernelRoofline
		for i, d := range p.Kernels {
			list = append(list, KernelRoofline{Kernel: i, Time: d})
		}
		return list
	}
	return p.recorder.roofline(m, max(p.total().Seconds(), 1e-9))
}

// roofline compares kernels with a machine. total is the time of a run in seconds.
func (r *recorder) roofline(m Machine, total float64) []KernelRoofline {
	var list []KernelRoofline
	for i, at := range r.at {
		k := &r.measured[at]
		moved, flops, wide := r.work(i, r.b.LastWith(i))
		seconds := max(k.best.Seconds(), 1e-9)
		passes := k.passes
		if k.best == 0 {
			passes = 0 // its results are kept between runs
		}
		made := KernelRoofline{Kernel: i, Number: k.number, Passes: passes, Time: k.best,
			Share: k.best.Seconds() / total,
			Bytes: moved * passes, Flops: flops * passes, wide: wide * passes,
			Operations: operations(k.kernel.Computes()), computes: k.kernel.Computes()}
		if body := r.bodies[at]; body != nil {
			made.Body = body.roofline(m, total)
			made.Flops, made.wide = 0, 0
			for _, inner := range made.Body {
				made.Flops, made.wide = made.Flops+inner.Flops, made.wide+inner.wide
			}
		}
		if m.Copy > 0 {
			made.OfCopy = float64(made.Bytes) / m.Copy / seconds
		}
		if m.Float32 > 0 && m.Float64 > 0 {
			made.OfPeak = (float64(made.Flops-made.wide)/m.Float32 + float64(made.wide)/m.Float64) / seconds
		}
		list = append(list, made)
	}
	return list
}

// work sums the bytes that kernels read and write, their operations, and those on elements of 8 bytes.
func (r *recorder) work(first, last int) (moved, flops, wide int) {
	for _, at := range r.at[first : last+1] {
		k := r.measured[at].kernel
		bytes, _ := r.b.Traffic(k)
		all, large := r.b.Flops(k)
		moved, flops, wide = moved+bytes, flops+all, wide+large
	}
	return moved, flops, wide
}

// withBodies lists kernels, each loop before the kernels of its body.
func withBodies(list []KernelRoofline) (all []KernelRoofline) {
	for _, r := range list {
		all = append(append(all, r), withBodies(r.Body)...)
	}
	return all
}

// mostSlow is the number of kernels whose lines a report shows.
const mostSlow = 10

// Report returns the roofline of all kernels as a table, followed by the ten kernels that take the most time with their
// lines in the user's program, including kernels in loops' bodies.
func (p *Profile) Report(m Machine) string {
	if p.prog == nil {
		return errNoProfile.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "graph %q%s: %d kernels, %v a run (the shortest times of %d)\n", p.prog.source.Name(), p.sizes(),
		len(p.Kernels), rounded(p.total()), p.Runs)
	fmt.Fprintf(&b, "%s\n\n", m)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kernel\tpasses\ttime\tshare\tbytes\tGB/s\tof copy\toperations\tGFLOP/s\tof peak\troof\tcomputes")
	list := p.Roofline(m)
	for _, r := range withBodies(list) {
		fmt.Fprintf(w, "%s\t%d\t%v\t%s\t%s\t%.1f\t%s\t%s\t%.1f\t%s\t%s\t%s\n", r.Number, r.Passes, rounded(r.Time),
			percent(r.Share),
			thousands(r.Bytes)+"B", r.rate(r.Bytes), percent(r.OfCopy), thousands(r.Flops), r.rate(r.Flops),
			percent(r.OfPeak), r.Roof(), r.Operations)
	}
	w.Flush()
	slow := slowest(list, mostSlow)
	fmt.Fprintf(&b, "\nthe %d that take the most time\n", len(slow))
	for _, r := range slow {
		fmt.Fprintf(&b, "%s  kernel %s: %s\n", percent(r.Share), r.Number, r.Operations)
		lines := placesOf(r.computes)
		for _, l := range lines[:min(len(lines), mostShown)] {
			fmt.Fprintf(&b, "        %s\n", l)
		}
		if more := len(lines) - mostShown; more > 0 {
			fmt.Fprintf(&b, "        and %d more\n", more)
		}
	}
	return b.String()
}

// sizes formats the named sizes of the runs.
func (p *Profile) sizes() string {
	var words []string
	for _, name := range p.prog.source.DimNames() {
		if n, bound := p.recorder.b.Sizes[name]; bound {
			words = append(words, fmt.Sprintf("%s = %d", name, n))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " with " + strings.Join(words, ", ")
}

// rounded rounds a time to three or more digits.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 10_000 {
		unit *= 10
	}
	return d.Round(unit)
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// thousands formats a number with an SI prefix, to which a unit can be added: "4.3 G".
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n, " ")
	}
	v, prefix := float64(n)/1000, 0
	for v >= 1000 && prefix < len(prefixes)-1 {
		v, prefix = v/1000, prefix+1
	}
	return fmt.Sprintf("%.1f %s", v, prefixes[prefix])
}

var prefixes = []string{"k", "M", "G", "T", "P", "E"}
