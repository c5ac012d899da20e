package engine

import (
	"fmt"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/outline"
	"github.com/broadloom/broadloom/kernels/backend"
)

// bodySteps is the kernels of a loop's body where all are small row programs or products, or take or put slices: many steps are then one call of machine code, between
// which addresses change as they do from each step to the next. The first step, and the last one where values must come to lie
// elsewhere, are a call by themselves.
type bodySteps struct {
	steps    backend.Steps
	operands []stepOperand
	slices   []stepSlices
	kept     []int // launches whose results the first step has left
}

// stepOperand is an operand whose address is given for each step.
type stepOperand struct {
	call     backend.Entry
	operand  int
	location Location
	input    int // of the body where it lies, or -1
	output   int // or this one
	by       stepChange
}

// stepChange is how an address changes from step to step, but for the first one and the last one: see [repeatTask.point].
type stepChange struct {
	add    int // bytes
	places int // the output to and fro between whose places it goes, or -1
}

// minSteps is the number of steps for which addresses are worked out.
const minSteps = 4

// bindSteps finds whether steps of a body can be made as one.
func (r *repeatTask) bindSteps() *bodySteps {
	t, b := &bodySteps{}, r.body
	for i := range b.Launches {
		l := &b.Launches[i]
		if l.kept != nil {
			t.kept = append(t.kept, i)
			continue
		}
		call := t.stepOf(l)
		if call == nil || !t.steps.Add(call) {
			return nil
		}
		for operand, at := range l.Operands {
			o := stepOperand{call, operand, at, -1, -1, stepChange{places: -1}}
			switch {
			case at.Slot != inMemory:
			case at.Buffer.Kind == lower.InInput:
				o.input, o.by = at.Buffer.Index, r.inputChange(at.Buffer.Index)
			case at.Buffer.Kind == lower.InResult:
				o.output, o.by = at.Buffer.Index, r.outputChange(at.Buffer.Index)
			}
			if o.input >= 0 || o.output >= 0 || call.Moves() {
				t.operands = append(t.operands, o)
			}
		}
	}
	for _, o := range b.outputs {
		if len(o.stacks) > 1 {
			return nil
		}
	}
	if t.steps.Len() == 0 {
		return nil
	}
	t.steps.Reserve(len(t.operands) + 1)
	return t
}

// stepOf is the call of a launch that may be one of a step; nil where it may not.
func (t *bodySteps) stepOf(l *Launch) backend.Entry {
	k, ok := l.Task.(movesSlices)
	if !ok {
		return l.smallCall()
	}
	s := newStepSlices(k, len(l.Operands), t.steps.Stop())
	if s == nil {
		return nil
	}
	t.slices = append(t.slices, *s)
	return s.call
}

// takesSteps reports whether steps can be taken by the calls of many: a step by itself has set the addresses of what does not move.
func (t *repeatTask) takesSteps(body *State) bool {
	m := t.steps
	if m == nil || body.Observer != nil || body.GuardsOperands || t.body.generation != body.generation {
		return false
	}
	for _, i := range m.kept {
		if l := &t.body.Launches[i]; !body.isKept(l.kernel, l.kept) {
			return false
		}
	}
	return true
}

// takeStep takes the step to which the body points.
func (t *repeatTask) takeStep(s, body *State) error {
	m := t.steps
	t.beginSteps(s, body)
	for i := range m.operands {
		o := &m.operands[i]
		m.steps.Point(o.call, o.operand, t.operandAt(body, o), backend.Change{})
	}
	m.steps.Run(1)
	return m.failed(body)
}

// beginSteps prepares for steps by the calls of many. What these set, steps by themselves do not know of.
func (t *repeatTask) beginSteps(s, body *State) {
	body.ctx = s.ctx
	clear(t.body.fed)
	clear(t.body.out)
	t.steps.steps.Begin()
}

// takeSteps takes steps from one on, which is not the first one, up to and without another one. It returns the first that it has not taken, and
// whether the loop's condition has ended it.
func (t *repeatTask) takeSteps(s, body *State, from, to int) (next int, ended bool, err error) {
	m, call := t.steps, t.loop.Call
	if to-from < minSteps || !t.takesSteps(body) {
		return from, false, nil
	}
	t.position = t.positionOf(from)
	t.point(body, from, false)
	t.beginSteps(s, body)
	for i := range m.operands {
		o := &m.operands[i]
		m.steps.Point(o.call, o.operand, t.operandAt(body, o), t.change(o.by, o.location.Offset))
	}
	m.steps.Count(&t.position, backend.Change{Add: uint64(t.direction())})
	if call.Stops >= 0 {
		output := t.outputOf(call.Stops)
		m.steps.While(body.Out[output], t.change(t.outputChange(output), 0))
	}
	next = from
	for next < to && !ended && err == nil {
		var taken int
		taken, ended = m.steps.Run(to - next)
		next += taken
		if err = m.failed(body); err != nil {
			return next, false, t.inStep(err)
		}
		err = s.ctx.Err()
	}
	for i := range call.Carried {
		output := t.outputOf(i)
		t.given[i] = t.placeAfter(output, body.Out[output], next-1-from)
	}
	if err != nil {
		err = fmt.Errorf("exec: the run was stopped in step %d of a loop: %w", next, err)
	}
	return next, ended, err
}

// outputOf is the output that a carried value is handed on as.
func (t *repeatTask) outputOf(carried int) int {
	return t.loop.Body.Results[t.loop.Call.Carried[carried].Next].Index
}

// direction is what is added to the position for the next step.
func (t *repeatTask) direction() int { return int(t.positionOf(1) - t.positionOf(0)) }

// operandAt is where the step to which the body points has an operand.
func (t *repeatTask) operandAt(body *State, o *stepOperand) unsafe.Pointer {
	switch {
	case o.input >= 0 && body.Fed[o.input].Ptr != nil:
		return unsafe.Add(body.Fed[o.input].Ptr, o.location.Offset)
	case o.output >= 0 && body.Out[o.output] != nil:
		return unsafe.Add(body.Out[o.output], o.location.Offset)
	}
	return body.Pointer(t.body.Specialization, o.location)
}

// change is how an address changes that lies some bytes behind the place of which by tells.
func (t *repeatTask) change(by stepChange, offset int) backend.Change {
	if by.places < 0 {
		return backend.Change{Add: uint64(by.add)}
	}
	places := &t.body.outputs[by.places].places
	there, back := t.scratchAt(places[0]+offset), t.scratchAt(places[1]+offset)
	return backend.Change{Flip: uint64(uintptr(there) ^ uintptr(back))}
}

// inputChange is how the address of an input changes.
func (t *repeatTask) inputChange(i int) stepChange {
	switch in := t.loop.Call.Inputs[i]; in.Role {
	case outline.Previous:
		return t.outputChange(t.outputOf(in.Carried))
	case outline.Position:
		return stepChange{places: -1}
	}
	return stepChange{t.direction() * t.strides[i], -1}
}

// outputChange is how the address of an output changes.
func (t *repeatTask) outputChange(i int) stepChange {
	switch o := &t.body.outputs[i]; {
	case len(o.stacks) > 0:
		return stepChange{t.direction() * o.bytes, -1}
	case o.over >= 0:
		return stepChange{places: -1}
	default:
		return stepChange{places: i}
	}
}

// placeAfter is where an output lies some steps after the one that has it at p.
func (t *repeatTask) placeAfter(output int, p unsafe.Pointer, steps int) unsafe.Pointer {
	by := t.outputChange(output)
	if by.places < 0 {
		return moved(p, steps*by.add)
	}
	places := &t.body.outputs[output].places
	first := 0
	if p == t.scratchAt(places[1]) {
		first = 1
	}
	return t.scratchAt(places[(first+steps)%2])
}
