package exec

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// code is a lowered program with its machine code, as runs need it.
type code struct {
	name       string // of the graph
	numInputs  int
	kernels    []kernel
	storages   []*storage // of the arena
	storageOf  map[*graph.Node]*storage
	consts     []*graph.Node
	faults     []fault
	written    []int            // the numbers of the parameters that a run writes
	compiled   []backend.Kernel // all row programs
	thresholds thresholds
	verified   bool // what is bound is verified
}

// newCode makes machine code of what a unit's row programs say, or what takes its place.
func newCode(name string, u *unit, verified bool) (*code, error) {
	c := &code{name: name, numInputs: len(u.inputs), kernels: u.kernels, storages: u.storages, storageOf: u.storageOf,
		consts: u.consts, faults: u.faults, thresholds: u.thresholds, verified: verified}
	for i, s := range u.params {
		if u.writes.IsWritten(s.own) {
			c.written = append(c.written, i)
		}
	}
	return c, c.compile(u)
}

// compile makes kernels of all row programs.
func (c *code) compile(u *unit) (err error) {
	var parts []*part
	var programs []*rowprog.Program
	for _, k := range c.kernels {
		for _, part := range k.loops() {
			parts, programs = append(parts, part), append(programs, part.prog)
		}
	}
	tiled, tiles := u.tilePrograms()
	var flat []*part
	for _, part := range tiled {
		if part.prog.Outer == 0 {
			flat, programs = append(flat, part), append(programs, inRows(part.prog))
		}
	}
	if c.compiled, err = backend.CompileAll(programs...); err != nil {
		return &invalid{err: err}
	}
	for i, part := range parts {
		part.kernel, part.edges = c.compiled[i], c.compiled[i]
	}
	for i, part := range flat {
		part.edges = c.compiled[len(parts)+i]
	}
	for i, made := range backend.CompileTiles(tiles) {
		tiled[i].tiles = made
	}
	return nil
}
