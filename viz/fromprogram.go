package viz

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/page"
)

// Program returns a compiled program as a source: the graph after the last pass, with its kernels, what they write to
// memory and where, and what stays in registers.
func Program(p *exec.Program) Source { return programSource{p} }

type programSource struct{ p *exec.Program }

func (s programSource) page(o *options) *page.Document { return s.p.Page(o.sizes, o.profile) }

func (s programSource) model(o *options) (*model, error) {
	plan := s.p.Plan()
	b := programModel{graphModel: newGraphModel(plan.Graph), plan: plan}
	if o.sizes != nil || isStatic(plan.Source) {
		f, err := s.p.Footprint(o.sizes)
		if err != nil {
			return nil, fmt.Errorf("viz: sizes in bytes: %w", err)
		}
		b.bytes = f
	}
	b.m.planned = true
	b.m.title = plan.Source.Name()
	b.markOutputs()
	var bytes []exec.KernelBytes
	if b.bytes != nil {
		bytes = b.bytes.Kernels
	}
	var times []exec.KernelRoofline
	if o.profile != nil {
		times = o.profile.Roofline(exec.Machine{})
	}
	b.addKernels(plan.Kernels, bytes, times, "", o.detail&Costs != 0)
	b.addBuffers()
	return b.m, nil
}

// isStatic reports whether all sizes of the inputs are whole numbers.
func isStatic(g *graph.Graph) bool {
	for _, n := range g.Inputs() {
		if !n.Shape().IsStatic() {
			return false
		}
	}
	return true
}

// programModel fills a model from a compiled program.
type programModel struct {
	*graphModel
	plan  *exec.Plan
	bytes *exec.Footprint // nil where sizes are not known
}

// markOutputs knows what the graph alone can only guess.
func (b *programModel) markOutputs() {
	for _, v := range b.values {
		v.output, v.unused, v.planned = false, false, true
	}
	for i, n := range b.plan.Outputs {
		v := b.values[n.ID()]
		v.output = true
		if v.name == "" {
			v.name = b.plan.Results[i].Name()
		}
	}
}

// addKernels adds kernels and, behind each loop, those of its body. bytes and times may be nil; loops is what
// the numbers begin with.
func (b *programModel) addKernels(list []exec.KernelPlan, bytes []exec.KernelBytes, times []exec.KernelRoofline,
	loops string, costs bool) {
	for i, k := range list {
		var moved exec.KernelBytes
		if bytes != nil {
			moved = bytes[i]
		}
		var took exec.KernelRoofline
		if i < len(times) {
			took = times[i]
		}
		number := fmt.Sprint(loops, i)
		text := &kernelText{name: "kernel " + number}
		if costs {
			text.lines = costsOf(k, moved, took)
		}
		b.m.kernels = append(b.m.kernels, text)
		for _, n := range k.Nodes {
			b.values[n.ID()].kernel = text
		}
		for _, n := range k.Writes {
			b.values[n.ID()].stored = true
		}
		b.addKernels(k.Body, moved.Body, took.Body, number+".", costs)
	}
}

const moved = " moved"

// costsOf tells what a kernel does when it runs once, and the time that it takes in a run.
func costsOf(k exec.KernelPlan, bytes exec.KernelBytes, took exec.KernelRoofline) (lines []string) {
	sums := 0
	for _, n := range k.Nodes {
		if n.Op().Class == graph.Reduce {
			sums++
		}
	}
	if len(k.Nodes) > 1 && k.Class != graph.Loop {
		text := plural(len(k.Nodes)-sums, "op")
		if sums > 0 {
			text += " + " + plural(sums, "reduction")
		}
		if len(k.Programs) < 2 {
			text += ", one pass"
		}
		lines = append(lines, text)
	}
	if bytes.Moved > 0 {
		lines = append(lines, byteText(bytes.Moved)+moved)
		if bytes.Unfused > bytes.Moved {
			lines = append(lines, byteText(bytes.Unfused)+" unfused")
		}
	}
	if took.Time > 0 {
		passes := max(took.Passes, 1)
		text := took.Time.String()
		if passes > 1 {
			text += fmt.Sprintf(" in %d passes", passes)
		}
		if bytes.Moved > 0 {
			text += fmt.Sprintf(" · %.1f GB/s", float64(bytes.Moved*passes)/float64(took.Time.Nanoseconds()))
		}
		lines = append(lines, text)
	}
	return lines
}

// addBuffers tells where stored values lie. Values of one memory have one number.
func (b *programModel) addBuffers() {
	number, count := make([]int, len(b.plan.Buffers)), 0
	for i, buffer := range b.plan.Buffers {
		v := b.values[buffer.Node.ID()]
		if buffer.Kind != exec.Arena {
			continue
		}
		words := []string{}
		if over := buffer.InPlace; over >= 0 {
			number[i] = number[over]
			words = append(words, fmt.Sprintf("buf %d", number[i]),
				"in place over "+baseName(b.values[b.plan.Buffers[over].Node.ID()]))
		} else {
			number[i] = count
			count++
			words = append(words, fmt.Sprintf("buf %d", number[i]))
			if b.bytes != nil {
				words = append(words, byteText(b.bytes.Buffers[i].Bytes))
			}
		}
		v.buffer = strings.Join(words, " · ")
		if over := buffer.InPlace; over >= 0 {
			b.values[b.plan.Buffers[over].Node.ID()].shown = true // it is called by its label
		}
	}
	for _, v := range b.values {
		if v.output && v.buffer == "" { // a view of what is stored
			v.buffer = b.values[baseOf(b.plan.Graph.Nodes()[v.id]).ID()].buffer
		}
		v.kept = v.kept && v.stored
	}
}

// baseOf follows views to the value whose memory they show.
func baseOf(n *graph.Node) *graph.Node {
	for n.Op().View != nil {
		n = n.In(0)
	}
	return n
}

// byteText returns a number of bytes in three digits or so: "48.6 KiB".
func byteText(n int) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	f, at := float64(n), 0
	for f >= 1024 && at < len(units)-1 {
		f /= 1024
		at++
	}
	if at == 0 || f >= 100 {
		return fmt.Sprintf("%.0f %s", f, units[at])
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") + " " + units[at]
}
