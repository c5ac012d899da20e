package exec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/page"
)

// VizVariable is the environment variable that names the page that every compilation writes: BROADLOOM_VIZ=out.html. A
// program that compiles several graphs writes out-2.html and so on.
const VizVariable = "BROADLOOM_VIZ"

// pagesWritten counts the pages that this process has written, by the variable's value.
var pagesWritten = struct {
	sync.Mutex
	count map[string]int
}{count: map[string]int{}}

// writePage writes the page that the environment asks for. A page only helps a person, so failing to write it must not
// stop a program.
func writePage(d func() *page.Document) {
	path := os.Getenv(VizVariable)
	if path == "" {
		return
	}
	pagesWritten.Lock()
	pagesWritten.count[path]++
	n := pagesWritten.count[path]
	pagesWritten.Unlock()
	if n > 1 {
		ext := filepath.Ext(path)
		path = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
	}
	if err := createPage(path, d); err != nil {
		fmt.Fprintf(os.Stderr, "broadloom: %s: %v\n", VizVariable, err)
	}
}

func createPage(path string, d func() *page.Document) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the page panicked: %v", v)
		}
	}()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = d().Write(f)
	return errors.Join(err, f.Close())
}

// usualSize is the value of a named size for which a page counts bytes, if the caller gives none.
const usualSize = 32

// Page makes the document that package viz writes as an HTML page. sizes are values of named sizes, for figures in
// bytes; profile may be nil.
func (p *Program) Page(sizes map[string]int, profile *Profile) *page.Document {
	plan, l := p.plan()
	d := &page.Document{Title: p.source.Name()}
	d.Columns = append(d.Columns, page.NewColumn("built", "the graph as it was built", p.source, nil))
	d.AddMistakes(p.source)
	passes := p.Snapshots()
	simplified, last := lastBefore(passes, "sequence"), passes[len(passes)-1]
	if s := passes[simplified]; simplified > 0 && s.Graph() != last.Graph() {
		c := page.NewColumn("simplified", s.Doc, s.Graph(), s.Sources())
		c.Passes = passNames(passes[1 : simplified+1])
		d.Columns = append(d.Columns, c)
	}
	c := page.NewColumn("fused", "kernels, each of which runs as one pass over memory", plan.Graph,
		l.Sources(p.source, last.Sources()))
	c.Passes = passNames(passes[simplified+1:])
	d.Columns = append(d.Columns, c)
	for i, r := range plan.Results {
		d.Columns[0].Values[r.ID()].Output = true
		c.Values[plan.Outputs[i].ID()].Output = true
	}
	w := pageWriter{plan, d, c, p.footprint(sizes, d), map[*graph.Region]int{}}
	var bytes []KernelBytes
	if w.bytes != nil {
		bytes = w.bytes.Kernels
	}
	var times []KernelRoofline
	if profile != nil {
		times = profile.Roofline(Machine{})
	}
	w.kernels(plan.Kernels, bytes, times, "")
	w.values()
	w.memory()
	return d
}

// lastBefore returns the index of the pass before the named one.
func lastBefore(passes []Snapshot, name string) int {
	for i, s := range passes {
		if s.Pass == name {
			return i - 1
		}
	}
	return 0
}

func passNames(passes []Snapshot) (names []string) {
	for _, s := range passes {
		names = append(names, s.Pass)
	}
	return names
}

// UsualSizes returns a default for each named size of the graph, for figures and trials if the user gives none: 32, or
// the closest allowed value.
func (p *Program) UsualSizes() map[string]int {
	sizes := map[string]int{}
	for _, name := range p.source.DimNames() {
		sizes[name] = usual(p.source.Bounds(name))
	}
	return sizes
}

// footprint counts bytes for the given sizes, or for usual ones if sizes is nil.
func (p *Program) footprint(sizes map[string]int, d *page.Document) *Footprint {
	if sizes == nil {
		sizes = p.UsualSizes()
	}
	f, err := p.Footprint(sizes)
	if err != nil {
		d.Notes = append(d.Notes, "Sizes in bytes are unknown: "+err.Error())
		return nil
	}
	return f
}

// usual returns a typical size within bounds.
func usual(b graph.Bounds) int {
	n := max(int64(usualSize), b.Min)
	if b.Max > 0 {
		n = min(n, b.Max)
	}
	if b.Multiple > 1 {
		n = max(n/b.Multiple, 1) * b.Multiple
	}
	return int(n)
}

// pageWriter fills in the last column's kernels.
type pageWriter struct {
	plan  *Plan
	d     *page.Document
	c     *page.Column
	bytes *Footprint            // nil if sizes are not known
	loops map[*graph.Region]int // one more than the kernel's index
}

// kernels describes kernels and, after each loop, those of its body. bytes and times may be nil. Kernels' numbers begin
// with loops.
func (w *pageWriter) kernels(list []KernelPlan, bytes []KernelBytes, times []KernelRoofline, loops string) {
	for i, k := range list {
		var moved KernelBytes
		if bytes != nil {
			moved = bytes[i]
		}
		var took KernelRoofline
		if i < len(times) {
			took = times[i]
		}
		number := fmt.Sprint(loops, i)
		out := page.Kernel{Name: "kernel " + number, Inner: loops != "", Class: k.Class.String(), Programs: k.Programs,
			Moved: moved.Moved, Unfused: moved.Unfused, Nanos: float64(took.Time.Nanoseconds()),
			Values: ids(k.Nodes), Reads: ids(k.Reads), Writes: ids(k.Writes)}
		if k.Class == graph.Elementwise {
			out.Domain = k.Domain.Compact()
		}
		w.d.Kernels = append(w.d.Kernels, out)
		for _, n := range k.Nodes {
			w.c.Values[n.ID()].Kernel = len(w.d.Kernels)
			if a, is := n.Loop(); is {
				w.loops[a.Body] = len(w.d.Kernels)
			}
		}
		for _, id := range out.Writes {
			w.c.Values[id].Stored = true
		}
		w.kernels(k.Body, moved.Body, took.Body, number+".")
	}
}

// values records kernels' values. Values in a body that no kernel computes belong to the loop.
func (w *pageWriter) values() {
	for i, n := range w.plan.Graph.Nodes() {
		if v := &w.c.Values[i]; v.Kernel == 0 {
			v.Kernel = w.loops[n.Region()]
		}
	}
	for _, v := range w.c.Values {
		for _, x := range v.Operands {
			if x.At >= 0 && v.Part == 1 && w.c.Values[x.At].Part == 0 && w.c.Values[x.At].Stored {
				w.c.Values[x.At].Kept = true
			}
		}
	}
}

func ids(nodes []*graph.Node) []int {
	list := make([]int, len(nodes))
	for i, n := range nodes {
		list[i] = n.ID()
	}
	return list
}

// memory describes the buffers. Buffers that share memory have one number.
func (w *pageWriter) memory() {
	m := &page.Memory{Kernels: len(w.plan.Kernels)}
	number, count := make([]int, len(w.plan.Buffers)), 0
	for i, b := range w.plan.Buffers {
		v := &w.c.Values[b.Node.ID()]
		out := page.Buffer{Value: b.Node.ID(), Name: v.Label, Type: v.Type,
			Owner: b.Kind.String(), First: b.First, Last: b.Last, InPlace: b.InPlace}
		if w.bytes != nil {
			out.Offset, out.Bytes = w.bytes.Buffers[i].Offset, w.bytes.Buffers[i].Bytes
		}
		m.Buffers = append(m.Buffers, out)
		switch {
		case b.Kind != Arena:
			continue
		case b.InPlace >= 0:
			number[i] = number[b.InPlace]
			v.Buffer = fmt.Sprintf("buf %d, in place over %s", number[i], m.Buffers[b.InPlace].Name)
		default:
			number[i] = count
			count++
			v.Buffer = fmt.Sprintf("buf %d", number[i])
		}
	}
	if w.bytes == nil {
		w.d.Memory = m
		return
	}
	m.Arena = w.bytes.Arena
	var sizes []string
	for _, name := range w.plan.Source.DimNames() {
		if n, known := w.bytes.Sizes[name]; known {
			sizes = append(sizes, fmt.Sprintf("%s = %d", name, n))
		}
	}
	m.Sizes = strings.Join(sizes, ", ")
	w.d.Memory = m
}
