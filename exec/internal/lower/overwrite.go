package lower

import (
	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/outline"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// This file lets loops write values of all steps over an operand that they slice, if that dies: the gradients of an
// LSTM's gates over the gates. A step reads the elements at its position before it writes them.

// Overwrite is a result of a loop's body and an input whose memory it may use, because the step no longer needs the
// input when it first writes the result.
type Overwrite struct{ Input, Result int }

// findOverwrites finds which results of a loop's body may use the memory of inputs.
func (p *planner) findOverwrites() {
	taken := map[*Buffer]bool{}
	for at, k := range p.u.Kernels {
		if _, isRepeat := k.(*Repeat); isRepeat {
			continue
		}
		for _, o := range k.Operands() {
			if o.Base == nil || !o.Write || p.of[o.Base].Kind != InResult || taken[p.of[o.Base]] {
				continue
			}
			to := p.of[o.Base]
			taken[to] = true // later kernels are not the first to write it
			if from := p.putInto(at, k, taken); from != nil {
				taken[from] = true
				p.u.Puts = append(p.u.Puts, Overwrite{from.Index, to.Index})
			}
			if loops := k.Loops(); len(loops) == 1 {
				if from := p.overwritten(at, loops[0], to, taken); from != nil {
					taken[from] = true
					p.u.Overwrites = append(p.u.Overwrites, Overwrite{from.Index, to.Index})
				}
			}
		}
	}
}

// putInto returns the input into which a kernel puts or adds slices, if nothing reads it later, and the kernel reads it
// only in this way; nil otherwise.
func (p *planner) putInto(at int, k Kernel, taken map[*Buffer]bool) *Buffer {
	from, _ := p.putBuffers(at, k)
	if from == nil || from.Kind != InInput || taken[from] {
		return nil
	}
	return from
}

// putBuffers returns the buffer into which a kernel puts or adds slices, and that of its result, if the kernel is the
// last that reads it, and reads it only in this way; nil otherwise.
func (p *planner) putBuffers(at int, k Kernel) (from, to *Buffer) {
	switch k := k.(type) {
	case *Function:
		if !rewrite.PutsSlices(k.Node) {
			return nil, nil
		}
	case *AddRows:
	default:
		return nil, nil
	}
	operands := k.Operands()
	reads := func(operand int, s *Buffer) bool { return p.of[operands[operand].Base] == s }
	from, to = p.of[operands[0].Base], p.of[operands[len(operands)-1].Base]
	if from.Last != at || reads(1, from) || reads(2, from) || p.isReadByFused(at, from) ||
		!p.keepsInChain(at, from, to) {
		return nil, nil
	}
	return from, to
}

// putInPlace lets the result of a kernel that puts slices take over the memory of the value that it changes.
func (p *planner) putInPlace(at int, k Kernel) {
	from, to := p.putBuffers(at, k)
	if _, puts := k.(*Function); !puts || from == nil || from == to || !k.Operands()[0].Layout.IsRowMajor() {
		return
	}
	isLeft := from.Kind == InArena && from.First < at && from.ReusedBy == nil
	begins := to.Kind == InArena && to.First == at && to.Reuses == nil
	if !isLeft || !begins || from.Count != to.Count || from.Dtype != to.Dtype {
		return
	}
	from.ReusedBy, to.Reuses = to, from
}

// overwritten returns an input whose elements are each read for the last time before the kernel writes the same element
// of a result; nil if there is none.
func (p *planner) overwritten(at int, part *Loop, to *Buffer, taken map[*Buffer]bool) *Buffer {
	for _, x := range part.Operands {
		if x.Base == nil || x.Write {
			continue
		}
		from := p.of[x.Base]
		if from.Kind == InInput && from.Last == at && from.Dtype == to.Dtype && !taken[from] &&
			!p.isReadByFused(at, from) &&
			p.keepsInChain(at, from, to) && p.readsFirst(part, from, to) {
			return from
		}
	}
	return nil
}

// readsFirst reports whether a kernel reads each element of one buffer, if at all, before it writes the element at the
// same position of another.
func (p *planner) readsFirst(part *Loop, from, to *Buffer) bool {
	for i, o := range part.Operands {
		if o.Base == nil || p.of[o.Base] != from && p.of[o.Base] != to {
			continue
		}
		if spec := part.Program.Operands[i]; spec.Domain != rowprog.Vec || part.Program.Picks(i) ||
			spec.Access == rowprog.Acc || o.Undecided != nil || o.Write != (p.of[o.Base] == to) {
			return false
		}
		for j, x := range part.Operands {
			if o.Write && x.Base != nil && p.of[x.Base] == from && !areApart(x.Layout, o.Layout) &&
				!(fusion.SameLayout(x, o) && loadedBeforeStored(part.Program, j, i)) {
				return false
			}
		}
	}
	return true
}

// loadedBeforeStored reports whether all loads of an operand come before the first store of another one.
func loadedBeforeStored(p *rowprog.Program, loaded, stored int) bool {
	if !readBeforeWritten(p, loaded, stored) {
		return false
	}
	for i := range p.Insts {
		if first := &p.Insts[i]; first.Op == rowprog.OpStore && first.Operand == stored {
			for j := range p.Insts[i:] {
				if in := &p.Insts[i+j]; in.Op == rowprog.OpLoad && in.Operand == loaded && in.Section == first.Section {
					return false
				}
			}
		}
	}
	return true
}

// areApart reports whether two layouts over one iteration space are known to be disjoint: separate columns of the same
// rows.
func areApart(a, b graph.Layout) bool {
	last := len(a.Shape) - 1
	if last < 0 || len(b.Strides) != last+1 {
		return false
	}
	width, known := a.Shape[last].Int()
	pitch := int64(0) // a common divisor of the strides between rows
	for axis, d := range a.Strides {
		step, isKnown := d.Int()
		if known = known && isKnown && d == b.Strides[axis] && step >= 0; axis == last {
			known = known && step == 1
		} else if a.Shape[axis] != 1 {
			pitch = divisor(pitch, step)
		}
	}
	from, knownA := a.Offset.Int()
	to, knownB := b.Offset.Int()
	if !known || !knownA || !knownB {
		return false
	}
	distance := max(from-to, to-from)
	if pitch == 0 {
		return distance >= width
	}
	distance %= pitch
	return width <= distance && distance <= pitch-width
}

// divisor returns the greatest common divisor; that of 0 and n is n.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// overwriteSteps lets a stack that a loop writes reuse the memory of an operand that it slices, if nothing else reads
// that.
func (p *planner) overwriteSteps(at int, r *Repeat) {
	for _, w := range r.Body.Overwrites {
		in := r.Call.Inputs[w.Input]
		if in.Role != outline.Element {
			continue
		}
		x := r.RepeatSpec.Operands[in.Operand]
		from, uses := p.of[x.Base], 0
		for _, o := range r.RepeatSpec.Operands {
			if p.of[o.Base] == from {
				uses++
			}
		}
		for _, other := range r.Call.Inputs {
			if (other.Role == outline.Element || other.Role == outline.Captured) && other.Operand == in.Operand {
				uses++
			}
		}
		for _, c := range r.Call.Carried {
			if c.Init == in.Operand { // the first step reads all of it
				uses++
			}
		}
		o := r.stackOf(w.Result)
		if o == nil || uses != 2 {
			continue
		}
		to := p.of[o.Base]
		if from.Kind == InArena && to.Kind == InArena && to.First == at && from.Last == at && from.First < at &&
			to.Reuses == nil && from.ReusedBy == nil &&
			from.Count == to.Count && from.Dtype == to.Dtype && x.Layout.IsRowMajor() &&
			x.Layout.Shape.Equal(o.Layout.Shape) {
			from.ReusedBy, to.Reuses = to, from
		}
	}
}

// stackOf returns the stack of a result of the body; nil if there is none or several.
func (r *RepeatSpec) stackOf(result int) *fusion.Operand {
	var found *fusion.Operand
	for i, made := range r.Call.Results {
		// Unused results have no operand.
		if made.Role != graph.LoopStack || r.Results[i] < 0 || r.Body.Results[made.Output].Index != result {
			continue
		}
		if found != nil {
			return nil
		}
		found = &r.Operands[r.Results[i]]
	}
	return found
}
