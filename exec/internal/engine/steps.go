package engine

import (
	"fmt"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/outline"
	"github.com/broadloom/broadloom/kernels/backend"
)

// bodySteps runs many steps of a loop's body as one call of machine code. All its kernels must be small row programs or
// products, or take or put slices. Between steps, the code changes addresses. The first step is a separate call, and so
// is the last one if its values must be stored elsewhere.
type bodySteps struct {
	steps    backend.Steps
	operands []stepOperand
	slices   []stepSlices
	kept     []int // launches whose results the first step has kept
}

// stepOperand is an operand whose address is set for steps.
type stepOperand struct {
	call     backend.Entry
	operand  int
	location Location
	input    int // the body's input that holds it, or -1
	output   int // the body's output that holds it, or -1
	by       stepChange
}

// stepChange is how an address changes between steps, except for the first and the last one: see [repeatTask.point].
type stepChange struct {
	add    int // bytes
	places int // the output between whose two places it alternates, or -1
}

// minSteps is the number of steps for which setting up addresses pays.
const minSteps = 4

// bindSteps returns the steps of a body as one call, or nil.
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
				if o.input = at.Buffer.Index; at.Offset < r.rooms[o.input] {
					o.by = r.inputChange(o.input)
				}
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

// stepOf returns the call of a launch if it can be a part of a step; nil otherwise.
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

// takesSteps reports whether the combined calls can run: a separate step has set the addresses that do not change.
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

// takeStep runs the current step.
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

// beginSteps prepares for combined calls. They set addresses, so those that separate steps have recorded become
// invalid.
func (t *repeatTask) beginSteps(s, body *State) {
	body.ctx = s.ctx
	clear(t.body.fed)
	clear(t.body.out)
	t.steps.steps.Begin()
}

// takeSteps runs steps from one on, which is not the first, up to but excluding another. It returns the first step that
// has not run, and whether the loop's condition has ended the loop.
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

// outputOf returns the output that becomes a carried value.
func (t *repeatTask) outputOf(carried int) int {
	return t.loop.Body.Results[t.loop.Call.Carried[carried].Next].Index
}

// direction returns the difference of positions between steps.
func (t *repeatTask) direction() int { return int(t.positionOf(1) - t.positionOf(0)) }

// operandAt returns the address of an operand in the current step.
func (t *repeatTask) operandAt(body *State, o *stepOperand) unsafe.Pointer {
	switch {
	case o.input >= 0 && o.location.Offset >= t.rooms[o.input]:
		return unsafe.Pointer(&nothing)
	case o.input >= 0 && body.Fed[o.input].Ptr != nil:
		return unsafe.Add(body.Fed[o.input].Ptr, o.location.Offset)
	case o.output >= 0 && body.Out[o.output] != nil:
		return unsafe.Add(body.Out[o.output], o.location.Offset)
	}
	return body.Pointer(t.body.Specialization, o.location)
}

// change returns how the address at an offset from a changing place changes.
func (t *repeatTask) change(by stepChange, offset int) backend.Change {
	if by.places < 0 {
		return backend.Change{Add: uint64(by.add)}
	}
	places := &t.body.outputs[by.places].places
	there, back := t.scratchAt(places[0]+offset), t.scratchAt(places[1]+offset)
	return backend.Change{Flip: uint64(uintptr(there) ^ uintptr(back))}
}

// inputChange returns how the address of an input changes.
func (t *repeatTask) inputChange(i int) stepChange {
	switch in := t.loop.Call.Inputs[i]; in.Role {
	case outline.Previous:
		return t.outputChange(t.outputOf(in.Carried))
	case outline.Position:
		return stepChange{places: -1}
	}
	return stepChange{t.direction() * t.strides[i], -1}
}

// outputChange returns how the address of an output changes.
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

// placeAfter returns the address of an output some steps after the one in which it is at p.
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
