package lower

import (
	"math"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// A kernel that reads only constants, and parameters that the program does not write, computes the same in each run
// until a parameter is set. Examples are sums of columns of weights, and tables of positions. If its results are small,
// the session keeps them, and it does not run again until then. The session also keeps products of up to four times the
// size of their factors, such as transformed filters for a convolution by tiles, and values in another layout, such as
// the numbers of filters that have an element at some position, or in a smaller dtype, such as the weights of a product
// in mixed precision.

// Kept is a kernel whose results are kept.
type Kept struct {
	Buffers []*Buffer // its results
	Params  []int     // the parameters that it reads, also through other such kernels; each once
}

// Results of up to keptBytes are kept, and larger ones, up to maxKept, if the kernel reads keptShare times as much.
const (
	keptBytes   = 64 << 10
	keptShare   = 4
	maxKept     = 1 << 20
	keptProduct = 4
)

// findKept finds the kernels whose results are kept, and gives the results buffers.
func (p *planner) findKept() {
	u := p.u
	if u.Body != nil {
		return
	}
	results := map[*graph.Node]bool{}
	for _, n := range u.Roots {
		results[alias.Storage(n)] = true
	}
	writers := map[*graph.Node]int{}
	for _, k := range u.Kernels {
		written := map[*graph.Node]bool{}
		for _, o := range k.Operands() {
			if o.Base != nil && o.Write && !written[alias.Storage(o.Base)] {
				written[alias.Storage(o.Base)] = true
				writers[alias.Storage(o.Base)]++
			}
		}
	}
	for at := range u.Kernels {
		made, params, ok := p.keepable(at, results, writers)
		if !ok {
			continue
		}
		if u.Kept == nil {
			u.Kept = map[int]*Kept{}
		}
		slices.Sort(params)
		k := &Kept{Params: slices.Compact(params)}
		for _, n := range made {
			s := &Buffer{Kind: InKept, Index: len(u.KeptBuffers), Node: n, Dtype: n.DType(),
				Count: n.Shape().NumElements(), First: at, Last: len(u.Kernels)}
			u.KeptBuffers = append(u.KeptBuffers, s)
			k.Buffers = append(k.Buffers, s)
			p.of[n], p.keptBy[n] = s, k
		}
		u.Kept[at] = k
		p.separate(at)
	}
}

// separate lets kernels run separately that would be fused with a kept product.
func (p *planner) separate(product int) {
	for _, k := range p.u.Kernels[product+1:] {
		if !FusionOf(k).isFused() {
			return
		}
		k.(*Fused).Fusion = MatMulFusion{}
	}
}

// keepable returns what a kernel computes, from which parameters, and whether it can be kept.
func (p *planner) keepable(at int, results map[*graph.Node]bool, writers map[*graph.Node]int) (made []*graph.Node,
	params []int, ok bool) {
	u := p.u
	switch k := u.Kernels[at].(type) {
	case *Fused:
		if k.Fusion.isFused() {
			return nil, nil, false
		}
	case *MatMul:
	default:
		return nil, nil, false
	}
	for _, c := range u.Chains {
		if c.First <= at && at <= c.Last {
			return nil, nil, false
		}
	}
	read, computed, written := 0, 0, 0 // bytes; computed of what is read, as it is computed with
	seen := map[*graph.Node]bool{}
	for _, o := range u.Kernels[at].Operands() {
		if o.Base == nil {
			return nil, nil, false // a size may differ in other runs
		}
		n := alias.Storage(o.Base)
		if seen[n] {
			continue
		}
		seen[n] = true
		bytes := bytesOf(n)
		switch index, isParam := p.params[n]; {
		case bytes == math.MaxInt || !hasFixedSize(o.Layout.Shape):
			return nil, nil, false
		case o.Write && (results[n] || writers[n] != 1 || n.Op().Class == graph.Source):
			return nil, nil, false
		case o.Write:
			made, written = append(made, n), written+bytes
			continue
		case isParam && !u.Writes.IsWritten(n):
			params = append(params, index)
		case p.keptBy[n] != nil:
			params = append(params, p.keptBy[n].Params...)
		case !n.IsConst():
			return nil, nil, false
		}
		read += bytes
		computed += bytes / n.DType().Size() * n.DType().Computed().Size()
	}
	_, isProduct := u.Kernels[at].(*MatMul)
	isSmall := written <= keptBytes || written <= maxKept && written*keptShare <= read ||
		isProduct && written <= keptProduct*computed ||
		(written < read || written == read && written <= maxKept) && onlyMoves(u.Kernels[at])
	return made, params, isSmall && len(made) > 0
}

// onlyMoves reports whether a kernel only moves and converts elements. It is not known of kernels without loops, such
// as Go functions.
func onlyMoves(k Kernel) bool {
	loops := k.Loops()
	for _, loop := range loops {
		for _, inst := range loop.Program.Insts {
			switch inst.Op {
			case rowprog.OpLoad, rowprog.OpStore, rowprog.OpConvert:
			default:
				return false
			}
		}
	}
	return len(loops) > 0
}

// bytesOf returns the size of a value; the maximum if it is unknown or too large.
func bytesOf(n *graph.Node) int {
	count, known := n.Shape().NumElements().Int()
	if !known || count > 1<<40 {
		return math.MaxInt
	}
	return int(count) * n.DType().Size()
}

// hasFixedSize reports whether all sizes are known.
func hasFixedSize(s graph.Shape) bool {
	for _, d := range s {
		if _, known := d.Int(); !known {
			return false
		}
	}
	return true
}
