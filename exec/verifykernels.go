package exec

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// verifyGroups checks that every value that is computed has one kernel, which runs after the
// kernels of its operands and after those that read what it writes, and that the members of a
// fused kernel agree about its domain and its rows.
func verifyGroups(u *rewriting, groups []*group) error {
	owner, place := map[*graph.Node]int{}, map[*graph.Node]int{}
	for at, k := range groups {
		for i, n := range k.members() {
			if other, taken := owner[n]; taken {
				return invalidAt(n, "kernels %d and %d both compute it", other, at)
			}
			owner[n], place[n] = at, i
		}
	}
	for _, n := range u.order {
		if _, ok := owner[n]; !ok && isComputed(n) {
			return invalidAt(n, "no kernel computes it")
		}
	}
	writes := shapeinfer.FindWrites(u.order)
	for at, k := range groups {
		for i, n := range k.nodes {
			for _, x := range n.Operands() {
				made := shapeinfer.State(x)
				switch from, ok := owner[made]; {
				case !ok && isComputed(made), from > at, ok && from == at && place[made] >= i:
					return invalidAt(n, "kernel %d computes it before its operand %s", at, x.Label())
				}
			}
			for _, r := range writes.Before(n) {
				if from, ok := owner[r]; ok && (from > at || from == at && !readsInPlace(r, n)) {
					return invalidAt(n, "kernel %d writes what %s still reads", at, r.Label())
				}
			}
			if err := k.verifyDomain(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// isComputed reports whether a kernel must run for a value to be had.
func isComputed(n *graph.Node) bool {
	return n.Op().Class != graph.Source && n.Op().Class != graph.Version && !shapeinfer.IsView(n)
}

// verifyDomain checks that a member of a fused kernel has an element for each of its domain, or
// for each of its rows.
func (k *group) verifyDomain(n *graph.Node) error {
	if k.class != graph.Elementwise {
		if len(k.nodes) != 1 {
			return invalidAt(n, "a kernel of class %s has %d members", k.class, len(k.nodes))
		}
		return nil
	}
	shape := n.Shape()
	if n.Op().Class == graph.Reduce {
		shape = n.In(0).Shape()
	}
	switch k.levelFor(n) {
	case perElement:
		if !shape.Equal(k.domain) {
			return invalidAt(n, "it has the domain %s in a kernel over %s", shape, k.domain)
		}
	case perRow:
		if !shape.Equal(k.rowShape()) && !shape.Equal(k.domain[:k.row]) {
			return invalidAt(n, "it has the domain %s in a kernel over %s whose rows run from axis %d", shape, k.domain, k.row)
		}
	}
	if !k.rowsFit(n, k.levelFor(n)) {
		return invalidAt(n, "it cuts the kernel's rows, which run from axis %d of %s", k.row, k.domain)
	}
	return nil
}

// verifyLoops checks that every part is a row program that obeys its rules and has the
// operands that the program names; and that each memory that a kernel reads was filled before,
// and each that it fills is read by some kernel or asked for.
func verifyLoops(u *unit) error {
	filled, read := map[*graph.Node]bool{}, map[*graph.Node]bool{}
	for _, n := range u.roots {
		read[shapeinfer.Storage(n)] = true
	}
	for _, k := range u.kernels {
		for _, p := range k.loops() {
			if err := p.verify(); err != nil {
				return invalidAt(k.of().nodes[0], "%w", err)
			}
		}
		for _, o := range k.operands() {
			if o.base != nil && !o.write {
				read[shapeinfer.Storage(o.base)] = true
			}
		}
	}
	for at, k := range u.kernels {
		for _, o := range k.operands() {
			if o.base != nil && o.write {
				filled[shapeinfer.Storage(o.base)] = true
			}
		}
		for _, o := range k.operands() {
			if o.base == nil {
				continue
			}
			memory := shapeinfer.Storage(o.base)
			source := memory.Op().Class == graph.Source
			switch {
			case !o.write && !source && !filled[memory]:
				return invalidAt(o.base, "kernel %d reads it, and no kernel up to there stores it", at)
			case o.write && !source && o.base.Op().Class != graph.Update && !read[memory] && !keepsForItself(k, o):
				return invalidAt(o.base, "kernel %d stores it, and nothing reads it", at)
			}
		}
	}
	return nil
}

// keepsForItself reports whether the kernel loads again what it stores in an operand.
func keepsForItself(k kernel, o operand) bool {
	for _, p := range k.loops() {
		for i, x := range p.operands {
			if x.write && x.base == o.base && p.prog.Operands[i].Access.Reads() {
				return true
			}
		}
	}
	return false
}

// verify checks a part's program, and its operands against those of the program.
func (p *part) verify() error {
	if err := p.prog.Verify(); err != nil {
		return err
	}
	if len(p.operands) != len(p.prog.Operands) {
		return fmt.Errorf("program %s has %d operands, its part %d", p.prog.Name, len(p.prog.Operands), len(p.operands))
	}
	for i, o := range p.operands {
		spec := p.prog.Operands[i]
		switch {
		case o.write != spec.Access.Writes():
			return fmt.Errorf("program %s: operand %s is %v", p.prog.Name, spec.Name, spec.Access)
		case o.base == nil:
		case typeOf(o.base.DType()) != spec.Type:
			return fmt.Errorf("program %s: operand %s of dtype %s is taken for %v", p.prog.Name, spec.Name, o.base.DType(), spec.Type)
		case len(o.layout.Strides) != len(p.domain):
			return fmt.Errorf("program %s: operand %s lies over %d axes, the domain has %d", p.prog.Name, spec.Name, len(o.layout.Strides), len(p.domain))
		}
	}
	return nil
}

// verifyFollowers checks that a kernel that goes on with a product's result, or runs beside
// it, comes right after that product, and that it neither reads nor writes what the product is
// still at.
func verifyFollowers(u *unit) error {
	for at, k := range u.kernels {
		f := fusionOf(k)
		if !f.isFused() {
			continue
		}
		if !slices.Contains(u.kernels[max(0, at-2):at], kernel(f.of)) {
			return invalidAt(k.of().nodes[0], "kernel %d comes with a product, and none is before it", at)
		}
		for _, o := range k.operands() {
			for i, x := range f.of.operands() {
				meets := o.base != nil && shapeinfer.Storage(o.base) == shapeinfer.Storage(x.base)
				if meets && (o.write && i < 2 || f.kind == withFactor && (o.write || x.write)) {
					return invalidAt(o.base, "kernel %d shares it with the product that it comes with", at)
				}
			}
		}
	}
	return nil
}
