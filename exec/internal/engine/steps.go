package engine

import (
	"fmt"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/kernels/backend"
)

// bodySteps is the kernels of a loop's body where all are small row programs or products, or take or put slices: many steps are then one call of machine code, between
// which addresses change as they do from each step to the next. Only the first step, and the last one where values must come to lie
// elsewhere, are taken by themselves.
type bodySteps struct {
	steps    backend.Steps
	operands []stepOperand
	slices   []stepSlices
	kept     []int               // launches whose results the first step has left
	at       [3][]unsafe.Pointer // where three steps have the body's inputs, and then its outputs
}

// stepOperand is an operand whose address is given for each step.
type stepOperand struct {
	call     backend.Step
	operand  int
	location Location
}

// leastSteps is the number of steps for which addresses are worked out.
const leastSteps = 4

// bindSteps finds whether steps of a body can be made as one.
func (b *boundBody) bindSteps(inputs int) *bodySteps {
	t := &bodySteps{}
	for i := range b.Launches {
		st := &b.Launches[i]
		if st.kept != nil {
			t.kept = append(t.kept, i)
			continue
		}
		call := t.stepOf(st)
		if call == nil || !t.steps.Append(call) {
			return nil
		}
		for operand, at := range st.Operands {
			if moves := at.Buffer != nil && at.Slot == inMemory && (at.Buffer.Kind == lower.InInput || at.Buffer.Kind == lower.InResult); moves || call.Moves() {
				t.operands = append(t.operands, stepOperand{call, operand, at})
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
	for i := range t.at {
		t.at[i] = make([]unsafe.Pointer, inputs+len(b.outputs))
	}
	t.steps.Reserve(len(t.operands) + 1)
	return t
}

// stepOf is the call of a launch that may be one of a step; nil where it may not.
func (t *bodySteps) stepOf(st *Launch) backend.Step {
	switch k := st.Task.(type) {
	case *LoopTask:
		if !st.Fused && !st.Chained && k.cost < parallelCost {
			return k.call
		}
	case smallProduct:
		if call := k.inSteps(); call != nil && !st.Chained {
			return call
		}
	case movesSlices:
		if s := newStepSlices(k, len(st.Operands), t.steps.Stop()); s != nil {
			t.slices = append(t.slices, *s)
			return s.call
		}
	}
	return nil
}

// takeSteps takes steps from one on, which is not the first one, up to and without another one. It returns the first that it has not taken, and
// whether the loop's condition has ended it.
func (t *repeatTask) takeSteps(s, body *State, from, to int) (next int, ended bool, err error) {
	m := t.steps
	if m == nil || to-from < leastSteps || body.Observer != nil || body.GuardsOperands {
		return from, false, nil
	}
	for _, i := range m.kept {
		if st := &t.body.Launches[i]; !body.isKept(st.of, st.kept) {
			return from, false, nil
		}
	}
	for i, at := range m.at {
		t.position = t.positionOf(from + i)
		t.point(body, from+i, false)
		for j := range body.Fed {
			at[j] = body.Fed[j].Ptr
		}
		copy(at[len(body.Fed):], body.Out)
		t.handOn(body)
	}
	t.position = t.positionOf(from)
	t.body.generation = -1 // what is set here, steps by themselves do not know of
	m.steps.Begin()
	for _, o := range m.operands {
		p, by := t.operandAt(body, o.location)
		m.steps.Point(o.call, o.operand, p, by)
	}
	m.steps.Count(&t.position, backend.Change{Add: uint64(t.positionOf(1) - t.positionOf(0))})
	call := t.loop.Call
	if call.Stops >= 0 {
		output := t.outputOf(call.Stops)
		m.steps.While(m.at[0][output], m.change(output))
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
		t.given[i] = m.placeAt(t.outputOf(i), next-1-from)
	}
	if err != nil {
		err = fmt.Errorf("exec: the run was stopped in step %d of a loop: %w", next, err)
	}
	return next, ended, err
}

// outputOf is the place among all addresses of what a carried value is handed on as.
func (t *repeatTask) outputOf(carried int) int {
	return len(t.loop.Call.Inputs) + t.loop.Body.Results[t.loop.Call.Carried[carried].Next].Index
}

// operandAt is where a first step has an operand, and how that changes.
func (t *repeatTask) operandAt(body *State, at Location) (unsafe.Pointer, backend.Change) {
	i := -1
	if at.Slot == inMemory {
		switch at.Buffer.Kind {
		case lower.InInput:
			i = at.Buffer.Index
		case lower.InResult:
			i = len(body.Fed) + at.Buffer.Index
		}
	}
	if i < 0 || t.steps.at[0][i] == nil {
		return body.Pointer(t.body.Specialization, at), backend.Change{}
	}
	by, p := t.steps.change(i), unsafe.Add(t.steps.at[0][i], at.Offset)
	if by.Flip != 0 {
		by.Flip = uint64(uintptr(p) ^ uintptr(unsafe.Add(t.steps.at[1][i], at.Offset)))
	}
	return p, by
}

// change is how an address changes from step to step: it goes on, or to and fro between two places.
func (m *bodySteps) change(i int) backend.Change {
	first, second, third := uintptr(m.at[0][i]), uintptr(m.at[1][i]), uintptr(m.at[2][i])
	if first == third {
		return backend.Change{Flip: uint64(first ^ second)}
	}
	return backend.Change{Add: uint64(second - first)}
}

// placeAt is an address some steps after the first one.
func (m *bodySteps) placeAt(i, steps int) unsafe.Pointer {
	if m.at[0][i] == m.at[2][i] {
		return m.at[steps%2][i]
	}
	return unsafe.Add(m.at[0][i], steps*int(uintptr(m.at[1][i])-uintptr(m.at[0][i])))
}
