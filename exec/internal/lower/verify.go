package lower

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// VerifyBuffers checks that every buffer is live while kernels use it, and that the live range of a buffer that reuses
// another begins where the other's ends.
func VerifyBuffers(u *Program) error {
	for at, k := range u.Kernels {
		for _, o := range k.Operands() {
			if o.Base == nil {
				continue
			}
			s := u.BufferOf[o.Base]
			switch {
			case s == nil:
				return bug.At(o.Base, "kernel %d uses it, and it has no buffer", at)
			case s.Kind == InArena && (at < s.First || at > s.Last):
				return bug.At(o.Base, "kernel %d uses it, and its buffer lives from kernel %d to %d", at, s.First,
					s.Last)
			case s.Dtype != o.Base.DType():
				return bug.At(o.Base, "its buffer is of %s", s.Dtype)
			}
		}
	}
	for i, n := range u.Roots[:u.NumOutputs] {
		s := u.BufferOf[alias.Viewed(n)]
		switch {
		case s == nil:
			return bug.At(n, "output %d has no buffer", i)
		case s.Kind == InArena && s.Last < len(u.Kernels):
			return bug.At(n, "output %d has a buffer that ends with kernel %d of %d", i, s.Last, len(u.Kernels))
		}
	}
	for _, s := range u.Buffers {
		if from := s.Reuses; from != nil {
			switch {
			case from.ReusedBy != s:
				return bug.At(s.Node, "it takes over a buffer that is given to another one")
			case from.Last != s.First || from.Count != s.Count || from.Dtype.Size() != s.Dtype.Size():
				return bug.At(s.Node, "it takes over the buffer of %s, which ends with kernel %d and has %s elements",
					from.Node.Label(), from.Last, from.Count)
			}
		}
	}
	return nil
}

// VerifyLoops checks that every part is a valid row program with the operands that the program names. It checks that
// memory is written before a kernel reads it, and that what kernels write is read or asked for.
func VerifyLoops(u *Program) error {
	filled, read := map[*graph.Node]bool{}, map[*graph.Node]bool{}
	for _, n := range u.Roots {
		read[alias.Storage(n)] = true
	}
	for _, k := range u.Kernels {
		for _, p := range k.Loops() {
			if err := p.verify(); err != nil {
				return bug.At(k.Computes().Nodes[0], "%w", err)
			}
		}
		for _, o := range k.Operands() {
			if o.Base != nil && !o.Write {
				read[alias.Storage(o.Base)] = true
			}
		}
	}
	for at, k := range u.Kernels {
		for _, o := range k.Operands() {
			if o.Base != nil && o.Write {
				filled[alias.Storage(o.Base)] = true
			}
		}
		for _, o := range k.Operands() {
			if o.Base == nil {
				continue
			}
			memory := alias.Storage(o.Base)
			source := memory.Op().Class == graph.Source
			switch {
			case !o.Write && !source && !filled[memory]:
				return bug.At(o.Base, "kernel %d reads it, and no kernel up to there stores it", at)
			case o.Write && !source && o.Base.Op().Class != graph.Update && !read[memory] && !keepsForItself(k, o):
				return bug.At(o.Base, "kernel %d stores it, and nothing reads it", at)
			}
		}
	}
	return nil
}

// keepsForItself reports whether the kernel loads again what it stores in an operand.
func keepsForItself(k Kernel, o fusion.Operand) bool {
	for _, p := range k.Loops() {
		for i, x := range p.Operands {
			if x.Write && x.Base == o.Base && p.Program.Operands[i].Access.Reads() {
				return true
			}
		}
	}
	return false
}

// verify checks a part's program, and its operands against those of the program.
func (p *Loop) verify() error {
	if err := p.Program.Verify(); err != nil {
		return err
	}
	if len(p.Operands) != len(p.Program.Operands) {
		return fmt.Errorf("program %s has %d operands, its part %d", p.Program.Name, len(p.Program.Operands),
			len(p.Operands))
	}
	for i, o := range p.Operands {
		spec := p.Program.Operands[i]
		switch {
		case o.Write != spec.Access.Writes():
			return fmt.Errorf("program %s: operand %s is %v", p.Program.Name, spec.Name, spec.Access)
		case o.Base == nil:
		case TypeOf(o.Base.DType()) != spec.Type:
			return fmt.Errorf("program %s: operand %s of dtype %s is taken for %v", p.Program.Name, spec.Name,
				o.Base.DType(), spec.Type)
		case len(o.Layout.Strides) != len(p.Space):
			return fmt.Errorf("program %s: operand %s lies over %d axes, the domain has %d", p.Program.Name, spec.Name,
				len(o.Layout.Strides), len(p.Space))
		}
	}
	return nil
}

// VerifyMatMulFusion checks that a fused kernel comes directly after its product, and does not read or write what the
// product still uses.
func VerifyMatMulFusion(u *Program) error {
	for at, k := range u.Kernels {
		f := FusionOf(k)
		if !f.isFused() {
			continue
		}
		if !slices.Contains(u.Kernels[max(0, at-2):at], Kernel(f.Of)) {
			return bug.At(k.Computes().Nodes[0], "kernel %d is fused with a product, and none is before it", at)
		}
		for _, o := range k.Operands() {
			for i, x := range f.Of.Operands() {
				meets := o.Base != nil && alias.Storage(o.Base) == alias.Storage(x.Base)
				if meets && (o.Write && i < 2 || f.Kind == OnFactor && (o.Write || x.Write)) {
					return bug.At(o.Base, "kernel %d shares it with the product that it is fused with", at)
				}
			}
		}
	}
	return nil
}

// VerifyChains checks that the kernels of each chain are consecutive, and that no other kernel uses the matrices that
// they exchange.
func VerifyChains(u *Program) error {
	for _, c := range u.Chains {
		for i, m := range c.Members {
			if at := c.First + i; at > c.Last || u.Kernels[at] != m.Kernel {
				return bug.At(m.Kernel.Computes().Nodes[0],
					"a member of the chain of kernels %d to %d is not in its place", c.First, c.Last)
			}
		}
		for _, n := range c.Wide {
			for at, k := range u.Kernels {
				if (at < c.First || at > c.Last) && uses(k, n) {
					return bug.At(n, "kernel %d uses it, which is not of its chain", at)
				}
			}
		}
	}
	return nil
}
