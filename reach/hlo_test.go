package reach_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/reach"
)

// traffic is what a compiled program moves, in bytes of the values on one device: by kind and mesh axes, as "all-gather
// data".
type traffic map[string]int64

var (
	hloCollective = regexp.MustCompile(
		`= (.*?) (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(?:-start)?\(.*?replica_groups=(mesh\[.*?\] \{.*?\}|\{\{.*?\}\}|\[[\d,]+\]<=\[[\d,]+\](?:T\([\d,]+\))?)`)
	hloShape   = regexp.MustCompile(`(pred|f32|f64|s64|s32|u32|u64)\[([\d,]*)\]`)
	hloMesh    = regexp.MustCompile(`'(\w+)'=(\d+)`)
	hloName    = regexp.MustCompile(`'(\w+)'`)
	hloNumbers = regexp.MustCompile(`\d+`)
	hloEntry   = regexp.MustCompile(`entry_computation_layout=\{\((.*?)\)->`)
)

// truth values of checks do not count
var hloBytes = map[string]int64{"f32": 4, "f64": 8, "s64": 8, "s32": 4, "u32": 4, "u64": 8}

// trafficOf reads a compiled program. A reduce-scatter counts as the all-reduce that a CPU has in its place.
func trafficOf(hlo string, m reach.Mesh) traffic {
	total := traffic{}
	for _, found := range hloCollective.FindAllStringSubmatch(hlo, -1) {
		bytes := int64(0)
		for _, s := range hloShape.FindAllStringSubmatch(found[1], -1) {
			bytes += elements(s[2]) * hloBytes[s[1]]
		}
		if axes := axesOf(firstGroup(found[3]), m); bytes > 0 && axes != "" {
			total[found[2]+" "+axes] += bytes
		}
	}
	return total
}

func elements(shape string) int64 {
	n := int64(1)
	for _, d := range numbers(shape) {
		n *= int64(d)
	}
	return n
}

func numbers(text string) (list []int) {
	for _, word := range hloNumbers.FindAllString(text, -1) {
		n, _ := strconv.Atoi(word)
		list = append(list, n)
	}
	return list
}

// firstGroup returns the devices that take part together with device 0.
func firstGroup(text string) []int {
	switch sizes, rest, _ := strings.Cut(text, "]"); {
	case strings.HasPrefix(text, "mesh"):
		var dims, chosen []int
		var names []string
		for _, m := range hloMesh.FindAllStringSubmatch(sizes, -1) {
			n, _ := strconv.Atoi(m[2])
			dims, names = append(dims, n), append(names, m[1])
		}
		for _, m := range hloName.FindAllStringSubmatch(rest, -1) {
			chosen = append(chosen, slices.Index(names, m[1]))
		}
		return along(dims, chosen)
	case strings.HasPrefix(text, "{{"):
		first, _, _ := strings.Cut(text, "}")
		return numbers(first)
	default: // [groups,size]<=[dims]T(perm)
		count := numbers(sizes)
		dims, perm, isTransposed := strings.Cut(rest, "T")
		shape := numbers(dims)
		order := make([]int, len(shape))
		for i := range order {
			order[i] = i
		}
		if isTransposed {
			order = numbers(perm)
		}
		group := transposed(shape, order)[:count[len(count)-1]]
		slices.Sort(group)
		return group
	}
}

// transposed lists the numbers of a grid in another order of its axes.
func transposed(shape, order []int) (list []int) {
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i], step = step, step*shape[i]
	}
	list = []int{0}
	for _, axis := range order {
		var next []int
		for _, at := range list {
			for i := range shape[axis] {
				next = append(next, at+i*strides[axis])
			}
		}
		list = next
	}
	return list
}

// along returns the places of a grid that differ from the first one along some axes only.
func along(dims, axes []int) []int {
	shape := slices.Clone(dims)
	at := transposed(shape, axes)
	slices.Sort(at)
	return at
}

// axesOf returns the axes of a mesh along which devices that take part together differ.
func axesOf(group []int, m reach.Mesh) string {
	axes, dims := m.Axes(), []int{}
	for _, a := range axes {
		dims = append(dims, a.Size)
	}
	for set := range 1 << len(axes) {
		var chosen []int
		var names []string
		for i, a := range axes {
			if set>>i&1 == 1 {
				chosen, names = append(chosen, i), append(names, a.Name)
			}
		}
		if slices.Equal(along(dims, chosen), group) {
			return strings.Join(names, "*")
		}
	}
	return ""
}

// expectedTraffic is what Explain tells, in the same form.
func expectedTraffic(e *reach.Explanation) traffic {
	total := traffic{}
	for _, c := range e.Collectives {
		kind, axes := c.Kind, slices.Sorted(slices.Values(c.Axes))
		if kind == reach.ReduceScatter {
			kind = reach.AllReduce
		}
		total[string(kind)+" "+strings.Join(axes, "*")] += c.Bytes * c.Times
	}
	return total
}

// provePartitioned says how a compiled program is not divided as a plan wants it: by the shapes of its arguments on one
// device.
func provePartitioned(hlo string, p *reach.Plan, arguments []*graph.Node) error {
	entry := hloEntry.FindStringSubmatch(hlo)
	if entry == nil {
		return fmt.Errorf("no entry in the program")
	}
	shapes := hloShape.FindAllStringSubmatch(entry[1], -1)
	if len(shapes) != len(arguments) {
		return fmt.Errorf("the program takes %d arguments, want %d", len(shapes), len(arguments))
	}
	for i, n := range arguments {
		sharding, _ := p.Sharding(n)
		var want []string
		for axis, d := range n.Shape() {
			size, err := d.Eval(func(name string) (int64, bool) { return int64(p.Sizes()[name]), true })
			if err != nil {
				return err
			}
			for _, a := range p.Mesh().Axes() {
				if slices.Contains(sharding[axis], a.Name) {
					size /= int64(a.Size)
				}
			}
			want = append(want, strconv.FormatInt(size, 10))
		}
		if got := shapes[i][2]; got != strings.Join(want, ",") {
			return fmt.Errorf("%s is [%s] on a device, want [%s]", n.Name(), got, strings.Join(want, ","))
		}
	}
	return nil
}

// argumentBytes are those of all arguments on one device.
func argumentBytes(hlo string) (bytes int64) {
	for _, s := range hloShape.FindAllStringSubmatch(hloEntry.FindStringSubmatch(hlo)[1], -1) {
		bytes += elements(s[2]) * hloBytes[s[1]]
	}
	return bytes
}
