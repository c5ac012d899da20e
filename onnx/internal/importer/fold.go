package importer

import (
	"context"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// fold computes a node that depends on what is known alone.
func (b *builder) fold(n node) (exec.Array, bool) {
	if a, done := b.folded[n]; done {
		if a == nil {
			return exec.Array{}, false
		}
		return *a, true
	}
	b.folded[n] = nil
	count, isKnown := n.Shape().NumElements().Int()
	if !isKnown || count > maxFolded || n.Region() != nil || !b.fixed(n) {
		return exec.Array{}, false
	}
	part := &partOf{b: b, to: b.g.Derive(), copies: map[node]node{}}
	y := part.copy(n)
	if part.hasLoop { // whose body cannot be copied node by node
		part.to, y = b.g, n
	}
	prog, err := exec.Compile(part.to, exec.Outputs(y), exec.OnWarning(nil))
	if err != nil {
		return exec.Array{}, false
	}
	sess := prog.NewSession()
	for _, p := range b.params {
		x := p.Node
		if !part.hasLoop {
			x = part.copies[x]
		}
		if x == nil {
			continue
		}
		if a, err := p.Elements(); err != nil || sess.SetParam(x, a) != nil && !part.hasLoop {
			// else it is one of another part of the model
			return exec.Array{}, false
		}
	}
	out, err := sess.Run(context.Background(), nil)
	if err != nil {
		return exec.Array{}, false
	}
	a, err := out.Array(y)
	if err != nil {
		return exec.Array{}, false
	}
	a = a.Clone()
	b.folded[n] = &a
	return a, true
}

// partOf copies what a node is computed of into a graph of its own: to compile all of the model for each constant would
// take a time that grows with the square of its nodes.
type partOf struct {
	b       *builder
	to      *graph.Graph
	copies  map[node]node
	hasLoop bool
}

func (p *partOf) copy(n node) node {
	if c, done := p.copies[n]; done {
		return c
	}
	if n.Region() != nil || n.IsInternalToLoop() {
		p.hasLoop = true
	}
	if _, isLoop := n.Loop(); isLoop || p.hasLoop {
		p.hasLoop = true
		return n
	}
	var in []node
	for _, x := range n.Operands() {
		in = append(in, p.copy(x))
	}
	if p.hasLoop {
		return n
	}
	if a := p.b.folded[n]; a != nil {
		p.copies[n] = graph.ConstantOf(p.to, a.Data, n.Shape()...)
	} else {
		p.copies[n] = p.to.Copy(n, in)
	}
	return p.copies[n]
}

// maxFolded is how many elements are computed at most when a model is imported.
const maxFolded = 1 << 16

// fixed reports whether a node is computed of constants and the model's own parameters.
func (b *builder) fixed(n node) bool {
	if is, done := b.isFixed[n]; done {
		return is
	}
	b.isFixed[n] = false
	is := !n.IsInput() && n.Err() == nil &&
		(!n.IsParam() || slices.ContainsFunc(b.params, func(p Param) bool { return p.Node == n }))
	for _, x := range n.Operands() {
		is = is && b.fixed(x)
	}
	b.isFixed[n] = is
	return is
}
