package backend

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/jit"
	"github.com/broadloom/broadloom/kernels/launch"
)

// List is a sequence of small calls that are made as one, so that each takes no longer than its code. The zero value is
// empty. Once a call is in a list, addresses of its operands change only through [Call.Point]. A list and its calls
// serve one goroutine at a time.
type List struct {
	calls  []*Call
	moving []*Call // those whose addresses must be set for each run
	count  int     // of calls
	code   jit.List
	share  float64 // of what a call of machine code may take
}

// entryElements is the number of elements that take about as long as a call without any, whose code and arguments come
// from memory.
const entryElements = 256

// Entry is a call that can be in a list: a [Call] or a [Static].
type Entry interface {
	// Moves reports whether [Steps] must be given the addresses of all operands, even of those that do not change.
	Moves() bool
	addTo(l *List) bool
	pointIn(s *Steps, operand int, p unsafe.Pointer, by Change)
}

// Add appends a call, unless it takes more than a single call of code, or its code would make the list's too long. It
// reports whether it did.
func (l *List) Add(e Entry) bool { return e.addTo(l) }

func (c *Call) addTo(l *List) bool {
	k := c.direct
	if k == nil || k.guards {
		return false
	}
	if len(k.accs) > 0 && c.fills == nil {
		if c.fills = k.neutralCalls(c.args); c.fills == nil {
			return false
		}
	}
	code, ok := k.code.(*jit.Code)
	share := float64(c.args.Elements()+entryElements) / float64(k.callElements)
	if !ok || l.share+share > 1 {
		return false
	}
	for _, fill := range c.fills {
		l.add(fill, code)
	}
	l.calls, l.count, l.share = append(l.calls, c), l.count+1, l.share+share
	l.add(c, code)
	return true
}

func (c *Static) addTo(l *List) bool {
	share := float64(c.elements+entryElements) / mostElements
	if c.code == nil || l.share+share > 1 {
		return false
	}
	l.count, l.share = l.count+1, l.share+share
	l.code.AddStatic(c.code, c.args)
	return true
}

// add appends the code of a call.
func (l *List) add(c *Call, code *jit.Code) {
	c.frame.pointers(c.direct, c.args)
	if moves(c.args) {
		l.moving = append(l.moving, c)
	}
	l.code.Add(code, c.direct.offset, c.frame.base)
}

// moves reports whether code can leave addresses in its frame that differ from those it found there. A run adds an
// operand's steps along axis 0; it undoes all others.
func moves(a *launch.Args) bool {
	return len(a.Outer) > 0 && slices.ContainsFunc(a.Stride, func(steps []int) bool { return steps[0] != 0 })
}

// Len is the number of calls.
func (l *List) Len() int { return l.count }

// Run makes the calls, in the order in which they were added.
func (l *List) Run() {
	for _, c := range l.moving {
		c.frame.pointers(c.direct, c.args)
	}
	l.code.Call()
	runtime.KeepAlive(l)
}
