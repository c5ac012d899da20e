package engine

import (
	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/outline"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Code is a lowered program with its machine code.
type Code struct {
	name          string // of the graph
	numInputs     int
	Kernels       []lower.Kernel
	Chains        []*lower.Chain
	Buffers       []*lower.Buffer // of the arena
	BufferOf      map[*graph.Node]*lower.Buffer
	consts        []*graph.Node
	RuntimeChecks []lower.RuntimeCheck
	Written       []int            // indices of the parameters that a run writes
	Compiled      []backend.Kernel // all row programs
	thresholds    lower.Thresholds
	verified      bool // whether specializations are verified
	results       int  // of a loop's body: the number of its result buffers
	bodies        map[*lower.Repeat]*Code
	kept          map[int]*lower.Kept
	keptBuffers   []*lower.Buffer
	invariant     []bool // of a loop's body: which inputs are the same in each step
}

// NewCode compiles a program's row programs to machine code, or to what replaces it.
func NewCode(name string, u *lower.Program, verified bool) (*Code, error) {
	c := &Code{name: name, numInputs: len(u.Inputs), Kernels: u.Kernels, Chains: u.Chains, Buffers: u.Buffers,
		BufferOf: u.BufferOf,
		results:  len(u.Results), consts: u.Consts, RuntimeChecks: u.RuntimeChecks, thresholds: u.Thresholds,
		verified: verified, kept: u.Kept, keptBuffers: u.KeptBuffers}
	for i, s := range u.Params {
		if u.Writes.IsWritten(s.Own) {
			c.Written = append(c.Written, i)
		}
	}
	if err := c.compileBodies(); err != nil {
		return nil, err
	}
	return c, c.compile(u)
}

// compileBodies compiles the bodies of loops.
func (c *Code) compileBodies() error {
	for _, k := range c.Kernels {
		r, isRepeat := k.(*lower.Repeat)
		if !isRepeat {
			continue
		}
		body, err := NewCode(c.name, r.Body, c.verified)
		if err != nil {
			return err
		}
		for _, in := range r.Call.Inputs {
			body.invariant = append(body.invariant, in.Role == outline.Captured)
		}
		if c.bodies == nil {
			c.bodies = map[*lower.Repeat]*Code{}
		}
		c.bodies[r] = body
	}
	return nil
}

// compile compiles all row programs.
func (c *Code) compile(u *lower.Program) (err error) {
	var parts []*lower.Loop
	var programs []*rowprog.Program
	for _, k := range c.Kernels {
		for _, part := range k.Loops() {
			parts, programs = append(parts, part), append(programs, part.Program)
		}
	}
	tiled, tiles := u.TilePrograms()
	var flat []*lower.Loop
	for _, part := range tiled {
		if part.Program.Outer == 0 {
			flat, programs = append(flat, part), append(programs, lower.InRows(part.Program))
		}
	}
	if c.Compiled, err = backend.CompileAll(programs...); err != nil {
		return &bug.Error{Err: err}
	}
	for i, part := range parts {
		part.Kernel, part.Tail = c.Compiled[i], c.Compiled[i]
	}
	for i, part := range flat {
		part.Tail = c.Compiled[len(parts)+i]
	}
	for i, made := range backend.CompileTiles(tiles) {
		tiled[i].Tiles = made
	}
	return nil
}
