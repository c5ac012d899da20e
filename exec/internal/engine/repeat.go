package engine

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/outline"
	"github.com/broadloom/broadloom/exec/internal/placement"
	"github.com/broadloom/broadloom/graph"
)

// boundBody is the body of a loop with all sizes known. Its memory, which is part of the surrounding arena, begins with
// two places for each carried value.
type boundBody struct {
	*Specialization
	outputs []boundOutput
	scratch int // bytes
}

// boundOutput is memory that a step of the body fills. It holds one or more outputs of the body that are the same
// value.
type boundOutput struct {
	bytes  int
	stacks []int // operands that stack all steps
	final  int   // the operand for the last step's value, or -1
	over   int   // the carried value that all steps but the first may overwrite with it, or -1
	places [2]int
}

// bindBodies binds the bodies of loops.
func (b *Specialization) bindBodies(p *Code) {
	b.out = make([]unsafe.Pointer, p.results)
	for _, k := range p.Kernels {
		r, isRepeat := k.(*lower.Repeat)
		if !isRepeat {
			continue
		}
		body, err := p.bodies[r].Specialize(nil, b.Sizes, b.threads)
		if err != nil {
			panic(sizeError{err})
		}
		if b.bodies == nil {
			b.bodies = map[*lower.Repeat]*boundBody{}
		}
		b.bodies[r] = b.placeOutputs(r, body, !p.verified)
	}
}

// Body returns the specialization of a loop's body.
func (b *Specialization) Body(k *lower.Repeat) *Specialization { return b.bodies[k].Specialization }

// placeOutputs decides where steps of a loop store their outputs.
func (b *Specialization) placeOutputs(r *lower.Repeat, body *Specialization, puts bool) *boundBody {
	made := &boundBody{Specialization: body, outputs: make([]boundOutput, len(r.Body.Results))}
	for i, s := range r.Body.Results {
		made.outputs[i] = boundOutput{bytes: b.Eval(s.Count) * s.Dtype.Size(), final: -1, over: -1}
	}
	for i, result := range r.Call.Results {
		operand := r.Results[i]
		switch {
		case operand < 0:
		case result.Role == graph.LoopStack:
			o := &made.outputs[r.Body.Results[result.Output].Index]
			o.stacks = append(o.stacks, operand)
		case result.Role == graph.LoopFinal:
			made.outputs[r.Body.Results[r.Call.Carried[result.Carried].Next].Index].final = operand
		}
	}
	for _, c := range r.Call.Carried {
		o := &made.outputs[r.Body.Results[c.Next].Index]
		for i := range o.places {
			o.places[i] = made.scratch
			made.scratch += placement.Aligned(o.bytes)
		}
	}
	made.scratch += body.Arena
	if puts {
		made.putOver(r)
	}
	return made
}

// putOver finds the carried values in which steps only replace slices: steps may write just these.
func (b *boundBody) putOver(r *lower.Repeat) {
	for _, w := range r.Body.Puts {
		from, handedOn := r.Call.Inputs[w.Input], 0
		for _, c := range r.Call.Carried {
			if r.Body.Results[c.Next].Index == w.Result {
				handedOn++
			}
		}
		if from.Role == outline.Previous && handedOn == 1 &&
			r.Body.Results[r.Call.Carried[from.Carried].Next].Index == w.Result {
			b.outputs[w.Result].over = from.Carried
		}
	}
}

// repeatTask is a loop with all sizes known.
type repeatTask struct {
	loop     *lower.Repeat
	body     *boundBody
	length   int
	strides  []int            // of the body's inputs, in bytes
	rooms    []int            // behind the places of these, see place
	bytes    []int            // of the carried values
	ptr      []unsafe.Pointer // of the operands and of the scratch memory
	given    []unsafe.Pointer // the carried values for the next step
	steps    *bodySteps       // nil unless many steps can run as one call
	position int64            // of the current step
	last     int64            // the last step's number
}

func (b *Specialization) bindRepeat(p *Code, k *lower.Repeat) Launch {
	s := b.newLaunch(p, k.RepeatSpec.Operands)
	s.Operands = append(s.Operands, Location{Buffer: k.Scratch, Slot: inMemory})
	t := &repeatTask{loop: k, body: b.bodies[k], length: b.Eval(k.Call.Region.Length()),
		ptr: make([]unsafe.Pointer, len(s.Operands)), given: make([]unsafe.Pointer, len(k.Call.Carried))}
	for i, in := range k.Call.Inputs {
		t.place(b, s.Operands, in, b.Eval(in.Stride)*k.Body.Inputs[i].Own.DType().Size())
	}
	for _, c := range k.Call.Carried {
		t.bytes = append(t.bytes, t.body.outputs[k.Body.Results[c.Next].Index].bytes)
	}
	t.steps = t.bindSteps()
	s.Task = t
	return s
}

// place notes how far apart the slices of an operand are that steps read, and how many bytes there are from the first
// byte of any on. What lies behind these has no elements; so do slices that lie there, which stay in one place: no
// pointer may point there (see first).
func (t *repeatTask) place(b *Specialization, operands []Location, in outline.BodyInput, stride int) {
	room := math.MaxInt
	if in.Role != outline.Previous && in.Role != outline.Position && operands[in.Operand].Buffer != nil {
		at := operands[in.Operand]
		room = b.Eval(at.Buffer.Count)*at.Buffer.Dtype.Size() - at.Offset
		if last := (t.length - 1) * stride; at.Offset+last < 0 || last >= room {
			stride = 0
		} else {
			room -= max(last, 0)
		}
	}
	t.strides, t.rooms = append(t.strides, stride), append(t.rooms, room)
}

func (t *repeatTask) SetPointer(operand int, p unsafe.Pointer) { t.ptr[operand] = p }

// Run runs the steps.
func (t *repeatTask) Run(s *State) error {
	body, call := t.begin(s), t.loop.Call
	count, taken := t.length, 0
	if call.Limit >= 0 {
		count = int(max(min(*(*int64)(t.ptr[call.Limit]), int64(count)), 0))
	}
	t.last = int64(count - 1)
	together := count // the first step that cannot run together with others
	if call.Stops < 0 {
		together--
	}
	for taken < count {
		if call.Stops >= 0 && !*(*bool)(t.given[call.Stops]) {
			break
		}
		if taken == 1 {
			next, ended, err := t.takeSteps(s, body, taken, together)
			if err != nil {
				return err
			}
			if taken = next; ended || taken == count {
				break
			}
		}
		if err := t.runStep(s, body, taken, count); err != nil {
			return err
		}
		taken++
	}
	first := 0
	if call.Region.Reverse() {
		first = count - taken
	}
	t.finish(first, first+taken)
	return nil
}

// begin prepares the body's state and the initial values for a run of the loop.
func (t *repeatTask) begin(s *State) (body *State) {
	body = s.bodies[t.loop]
	body.Threads, body.Flushes, body.Print, body.GuardsOperands, body.Observer = s.Threads, s.Flushes, s.Print,
		s.GuardsOperands, nil
	if s.Observer != nil {
		body.Observer = s.Observer.Body()
	}
	body.loops++
	body.rooms = t.rooms
	body.lend(t.scratchAt(t.body.scratch-t.body.Arena), t.body.Arena)
	for i, c := range t.loop.Call.Carried {
		t.given[i] = t.ptr[c.Init]
	}
	return body
}

// runStep runs one of a number of steps.
func (t *repeatTask) runStep(s, body *State, step, count int) (err error) {
	t.position = t.positionOf(step)
	t.point(body, step, t.loop.Call.Stops < 0 && step == count-1)
	if t.takesSteps(body) {
		err = t.takeStep(s, body)
	} else {
		err = body.Execute(s.ctx, t.body.Specialization)
	}
	if err != nil {
		return t.inStep(err)
	}
	t.keep(body)
	return nil
}

// lend gives the body its memory.
func (s *State) lend(at unsafe.Pointer, bytes int) {
	if bytes > 0 && (len(s.Arena) == 0 || unsafe.Pointer(&s.Arena[0]) != at) {
		s.generation++
	}
	s.Arena = unsafe.Slice((*byte)(at), bytes)
}

// scratchAt is a place in the loop's memory. What has no bytes may lie at its end, where no pointer may point.
func (t *repeatTask) scratchAt(offset int) unsafe.Pointer {
	switch {
	case t.body.scratch == 0:
		return nil
	case offset >= t.body.scratch:
		return unsafe.Pointer(&nothing)
	}
	return unsafe.Add(t.ptr[len(t.ptr)-1], offset)
}

// point sets the addresses of a step's inputs and outputs.
func (t *repeatTask) point(body *State, step int, isLast bool) {
	for i, in := range t.loop.Call.Inputs {
		switch in.Role {
		case outline.Previous:
			body.Fed[i].Ptr = t.given[in.Carried]
		case outline.Position:
			body.Fed[i].Ptr = unsafe.Pointer(&t.position)
		default:
			body.Fed[i].Ptr = moved(t.ptr[in.Operand], int(t.position)*t.strides[i])
		}
	}
	for i := range t.body.outputs {
		// An output with replaced slices stays in one place: that of the last value, if it is wanted.
		o := &t.body.outputs[i]
		switch over := o.over >= 0 && !body.GuardsOperands; {
		case len(o.stacks) > 0:
			body.Out[i] = moved(t.ptr[o.stacks[0]], int(t.position)*o.bytes)
		case over && step > 0:
			body.Out[i] = t.given[o.over]
		case (isLast || over) && o.final >= 0:
			body.Out[i] = t.ptr[o.final]
		default:
			body.Out[i] = t.scratchAt(o.places[step%2])
		}
	}
}

// moved returns the address some bytes after another one.
func moved(p unsafe.Pointer, bytes int) unsafe.Pointer {
	if p == nil {
		return nil
	}
	return unsafe.Add(p, bytes)
}

// positionOf returns the position of a step.
func (t *repeatTask) positionOf(step int) int64 {
	if t.loop.Call.Region.Reverse() {
		return t.last - int64(step)
	}
	return int64(step)
}

// keep copies a step's outputs to further stacks, and passes on carried values.
func (t *repeatTask) keep(body *State) {
	for i := range t.body.outputs {
		if o := &t.body.outputs[i]; len(o.stacks) > 1 {
			for _, operand := range o.stacks[1:] {
				copyBytes(moved(t.ptr[operand], int(t.position)*o.bytes), body.Out[i], o.bytes)
			}
		}
	}
	t.handOn(body)
}

// handOn gives carried values to the next step.
func (t *repeatTask) handOn(body *State) {
	for i, c := range t.loop.Call.Carried {
		t.given[i] = body.Out[t.loop.Body.Results[c.Next].Index]
	}
}

// finish stores the results that steps have not stored. The steps at positions from up to but excluding to have run.
func (t *repeatTask) finish(from, to int) {
	for i, result := range t.loop.Call.Results {
		operand := t.loop.Results[i]
		switch {
		case operand < 0:
		case result.Role == graph.LoopEnd:
			*(*int64)(t.ptr[operand]) = int64(to - from)
		case result.Role == graph.LoopFinal:
			copyBytes(t.ptr[operand], t.given[result.Carried], t.bytes[result.Carried])
		case to-from < t.length:
			bytes := t.body.outputs[t.loop.Body.Results[result.Output].Index].bytes
			clear(elements[byte](t.ptr[operand], from*bytes))
			clear(elements[byte](moved(t.ptr[operand], to*bytes), (t.length-to)*bytes))
		}
	}
}

func copyBytes(to, from unsafe.Pointer, bytes int) {
	if to != from {
		copy(elements[byte](to, bytes), elements[byte](from, bytes))
	}
}

// inStep adds the step to the error of a failed check. A branch has no steps.
func (t *repeatTask) inStep(err error) error {
	if failed, ok := err.(*FailedCheck); ok && !t.loop.Call.Region.Spec().Whole {
		return &FailedCheck{
			failed.Node, fmt.Sprintf("%s, in the step at position %d of the loop", failed.Message, t.position),
			failed.Err}
	}
	return err
}
