package exec

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/hugepage"
	"github.com/broadloom/broadloom/kernels/peak"
	"github.com/broadloom/broadloom/ops"
)

// Machine is what a machine does at most: the roof under which the rates of kernels stay
// (Williams, Waterman, Patterson: "Roofline", Communications of the ACM 52, 2009). A rate that
// is not known is 0.
type Machine struct {
	Threads int
	Copy    float64 // bytes a second that are read and written in a copy of large arrays, both counted
	Float32 float64 // operations a second on elements of 4 bytes that stay in registers
	Float64 float64 // the same on elements of 8 bytes
}

// copiedElements is the length of the arrays of float32 whose copy is measured, which few caches
// hold, and copySamples how often.
const (
	copiedElements = 32 << 20
	copySamples    = 12
)

// MeasureMachine measures what the machine does on some threads, at least one and at most as many
// as there are processors. It takes some tenths of a second and 256 MB of memory; nothing else
// should run meanwhile. The error is that of memory that there is not.
func MeasureMachine(threads int) (Machine, error) {
	m := Machine{Threads: max(min(threads, runtime.NumCPU()), 1)}
	m.Float32, m.Float64 = peak.Rate(m.Threads, 4), peak.Rate(m.Threads, 8)
	g := graph.New("copy")
	x := g.Input("x", graph.Float32, copiedElements)
	prog, err := Compile(g, Outputs(ops.Copy(x)))
	if err != nil {
		return m, err
	}
	p, err := prog.NewSession(Threads(m.Threads)).Profile(context.Background(), Feed{x: Array{Shape: []int{copiedElements}, Data: hugepage.Make[float32](copiedElements)}}, copySamples)
	if err != nil {
		return m, err
	}
	m.Copy = 2 * 4 * copiedElements / p.total().Seconds()
	return m, nil
}

// String tells the rates.
func (m Machine) String() string {
	return fmt.Sprintf("%d thread(s) copy %.1f GB/s and compute %.1f GFLOP/s on elements of 4 bytes, %.1f on those of 8",
		m.Threads, m.Copy/1e9, m.Float32/1e9, m.Float64/1e9)
}

// KernelRoofline is a kernel beside the roof of a machine.
type KernelRoofline struct {
	Kernel     int // of Plan.Kernels
	Time       time.Duration
	Share      float64 // of the time of all kernels
	Bytes      int     // read and written, each operand and each result once
	Flops      int     // operations on elements, as [Stats] counts them
	OfCopy     float64 // bytes a second, as a share of Machine.Copy; above 1 where they come from a cache
	OfPeak     float64 // operations a second, as a share of the machine's peak for the sizes of elements
	Operations string  // what it computes
}

// Roof tells which roof the kernel would meet first if it were faster: "memory" or "arithmetic", of
// which it has the greater share; or "" if neither is known.
func (r KernelRoofline) Roof() string {
	switch {
	case r.OfCopy == 0 && r.OfPeak == 0:
		return ""
	case r.OfCopy >= r.OfPeak:
		return "memory"
	}
	return "arithmetic"
}

// rate is a number in billions a second.
func (r KernelRoofline) rate(n int) float64 {
	return float64(n) / max(float64(r.Time.Nanoseconds()), 1)
}

// Roofline compares each kernel with what the machine does at most. Bytes and operations are
// counted from the plan, with the sizes of the profile's runs. It returns nil for a profile that
// no session has made.
func (p *Profile) Roofline(m Machine) []KernelRoofline {
	if p.prog == nil {
		return nil
	}
	total := max(p.total().Seconds(), 1e-9)
	var list []KernelRoofline
	for i, k := range p.prog.code.Kernels {
		moved, _ := p.b.Traffic(k)
		flops, wide := p.b.Flops(k)
		seconds := max(p.Kernels[i].Seconds(), 1e-9)
		r := KernelRoofline{Kernel: i, Time: p.Kernels[i], Share: p.Kernels[i].Seconds() / total,
			Bytes: moved, Flops: flops, Operations: operations(k.Computes())}
		if m.Copy > 0 {
			r.OfCopy = float64(moved) / m.Copy / seconds
		}
		if m.Float32 > 0 && m.Float64 > 0 {
			r.OfPeak = (float64(flops-wide)/m.Float32 + float64(wide)/m.Float64) / seconds
		}
		list = append(list, r)
	}
	return list
}

// mostSlow is the number of kernels of which a report shows the lines.
const mostSlow = 10

// Report returns the roofline of all kernels as a table, and the ten that take the most time
// with the lines of the user's program that they come from.
func (p *Profile) Report(m Machine) string {
	if p.prog == nil {
		return errNoProfile.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "graph %q%s: %d kernels, %v a run (the shortest times of %d)\n", p.prog.source.Name(), p.sizes(), len(p.Kernels), rounded(p.total()), p.Runs)
	fmt.Fprintf(&b, "%s\n\n", m)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kernel\ttime\tshare\tbytes\tGB/s\tof copy\toperations\tGFLOP/s\tof peak\troof\tcomputes")
	list := p.Roofline(m)
	for _, r := range list {
		fmt.Fprintf(w, "%d\t%v\t%s\t%s\t%.1f\t%s\t%s\t%.1f\t%s\t%s\t%s\n", r.Kernel, rounded(r.Time), percent(r.Share),
			thousands(r.Bytes)+"B", r.rate(r.Bytes), percent(r.OfCopy), thousands(r.Flops), r.rate(r.Flops), percent(r.OfPeak), r.Roof(), r.Operations)
	}
	w.Flush()
	slow := slowest(list, mostSlow)
	fmt.Fprintf(&b, "\nthe %d that take the most time\n", len(slow))
	for _, r := range slow {
		fmt.Fprintf(&b, "%s  kernel %d: %s\n", percent(r.Share), r.Kernel, r.Operations)
		lines := placesOf(p.prog.code.Kernels[r.Kernel].Computes())
		for _, l := range lines[:min(len(lines), mostShown)] {
			fmt.Fprintf(&b, "        %s\n", l)
		}
		if more := len(lines) - mostShown; more > 0 {
			fmt.Fprintf(&b, "        and %d more\n", more)
		}
	}
	return b.String()
}

// sizes writes the named sizes of the runs.
func (p *Profile) sizes() string {
	var words []string
	for _, name := range p.prog.source.DimNames() {
		if n, bound := p.b.Sizes[name]; bound {
			words = append(words, fmt.Sprintf("%s = %d", name, n))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " with " + strings.Join(words, ", ")
}

// rounded leaves a time three digits or more.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 10_000 {
		unit *= 10
	}
	return d.Round(unit)
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// thousands writes a number with a prefix of the International System, to which a unit can be added: "4.3 G".
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
