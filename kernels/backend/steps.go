package backend

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/jit"
)

// Steps is a list that is repeated many times as one call. Addresses of operands change in the same way from each step
// to the next. The zero value has no calls. It serves one goroutine at a time.
type Steps struct {
	List
	words  jit.Words
	goesOn uint64
	asks   bool
	stop   uint64
}

// Stop is a word by which code ends the steps: it sets it to a value other than 0.
func (s *Steps) Stop() *uint64 { return &s.stop }

// Change says how a number changes from each step to the next: something is added to it, or some of its bits are
// flipped.
type Change struct{ Add, Flip uint64 }

// Reserve allocates memory for a number of operands and other words.
func (s *Steps) Reserve(count int) {
	for _, c := range s.calls {
		count += len(c.fills)
	}
	s.words.Reserve(count + 1)
}

// Begin discards all operands and words.
func (s *Steps) Begin() {
	s.words.Reset()
	s.asks, s.stop = false, 0
}

// Point sets the address of an operand of a call in the list, and how it changes.
func (s *Steps) Point(e Entry, operand int, p unsafe.Pointer, by Change) {
	e.pointIn(s, operand, p, by)
}

// Moves implements [Entry].
func (c *Call) Moves() bool {
	return moves(c.args) || slices.ContainsFunc(c.fills, (*Call).Moves)
}

func (c *Call) pointIn(s *Steps, operand int, p unsafe.Pointer, by Change) {
	c.Point(operand, p)
	s.point(c, operand, p, by)
	for i, fill := range c.fills {
		if c.direct.accs[i].operand == operand {
			s.point(fill, 0, p, by)
		}
	}
}

func (s *Steps) point(c *Call, operand int, p unsafe.Pointer, by Change) {
	if by != (Change{}) || moves(c.args) {
		s.words.Add(unsafe.Add(c.frame.base, c.direct.layout.Pointer(operand)), uint64(uintptr(p)), by.Add, by.Flip)
	}
}

// Count sets how a number changes.
func (s *Steps) Count(n *int64, by Change) {
	s.words.Add(unsafe.Pointer(n), uint64(*n), by.Add, by.Flip)
}

// While ends the steps after the first one that leaves a Bool false. by says how its address changes.
func (s *Steps) While(p unsafe.Pointer, by Change) {
	s.asks = true
	s.words.Add(unsafe.Pointer(&s.goesOn), uint64(uintptr(p)), by.Add, by.Flip)
}

// Moves implements [Entry].
func (c *Static) Moves() bool { return true }

func (c *Static) pointIn(s *Steps, operand int, p unsafe.Pointer, by Change) {
	*c.operand(operand) = uintptr(p)
	if by != (Change{}) {
		s.words.Add(unsafe.Pointer(c.operand(operand)), uint64(uintptr(p)), by.Add, by.Flip)
	}
}

// Run makes steps, as many as fit into one call of machine code and at most a number of them. It returns how many, and
// whether the Bool that [Steps.While] was given was false after the last one. Code that sets the word of [Steps.Stop]
// to a value other than 0 is the last that is called; addresses are then those of its step.
func (s *Steps) Run(most int) (taken int, ended bool) {
	var goesOn *uint64
	if s.asks {
		goesOn = &s.goesOn
	}
	taken, ended = s.code.CallTimes(min(most, max(1, int(1/s.share))), &s.words, goesOn, &s.stop)
	runtime.KeepAlive(s)
	return taken, ended
}
