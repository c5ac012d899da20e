package exec

import "slices"

// dependencies is which kernels need which others to run before them.
type dependencies struct {
	needs [][]int // by kernel
	seen  []int   // by kernel: the last search that came by
	round int
}

// add makes a kernel.
func (d *dependencies) add() int {
	d.needs, d.seen = append(d.needs, nil), append(d.seen, 0)
	return len(d.needs) - 1
}

// after says that a kernel runs after another one.
func (d *dependencies) after(k, before int) {
	if k != before && !slices.Contains(d.needs[k], before) {
		d.needs[k] = append(d.needs[k], before)
	}
}

// follows reports whether a kernel runs after another one, by what has been said so far.
func (d *dependencies) follows(k, before int) bool {
	d.round++
	return d.search(k, before)
}

func (d *dependencies) search(k, before int) bool {
	if k == before {
		return true
	}
	d.seen[k] = d.round
	for _, j := range d.needs[k] {
		if d.seen[j] != d.round && d.search(j, before) {
			return true
		}
	}
	return false
}

// hurry says when a kernel runs.
type hurry uint8

const (
	inOrder hurry = iota // as early as it was made and what it needs allow
	soon                 // right after the last one that it needs
	next                 // so, and before those that only run soon
)

// sort gives an order in which kernels can run.
func (d *dependencies) sort(hurries []hurry) (sorted []int) {
	readers := make([][]int, len(d.needs)) // that hurry
	for _, h := range []hurry{next, soon} {
		for k, needs := range d.needs {
			for _, j := range needs {
				if hurries[k] == h {
					readers[j] = append(readers[j], k)
				}
			}
		}
	}
	begun, placed := make([]bool, len(d.needs)), make([]bool, len(d.needs))
	var place func(k int)
	place = func(k int) {
		if begun[k] {
			return
		}
		begun[k] = true
		for _, j := range d.needs[k] {
			place(j)
		}
		sorted, placed[k] = append(sorted, k), true
		for _, j := range readers[k] {
			if !slices.ContainsFunc(d.needs[j], func(i int) bool { return !placed[i] }) {
				place(j)
			}
		}
	}
	for k := range d.needs {
		place(k)
	}
	return sorted
}
