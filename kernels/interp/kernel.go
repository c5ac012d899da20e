package interp

import (
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Block is the number of elements that are processed at a time. It is a multiple of the number of lanes of every type,
// so that each block begins with the first lane.
const Block = 1024

// Kernel is a compiled row program. Several goroutines may use it at once.
type Kernel struct {
	prog   *rowprog.Program
	stages []stage
	call   []step   // once a call: constants that are needed as vectors
	bases  []int    // of each register, where its block stands in the scratch, in words
	words  int      // of all blocks
	states int      // of all reductions, in words
	accs   []accPos // the accumulated operands
}

// stage is the work of one stage of a row, after its row section.
type stage struct {
	begin []step // once a row
	block []step // for each block
	end   []step // once a row
}

// step does the work of one instruction on n elements of a block.
type step func(s *Scratch, n int)

// accPos is an accumulated operand.
type accPos struct {
	operand int
	reduced rowprog.AxisSet
	kind    rowprog.Reduction
}

// Compile makes a kernel of a program, in plain Go.
func Compile(p *rowprog.Program) (*Kernel, error) { return compile(p, false) }

// CompileVectors makes a kernel that uses vector code for single primitives, if there is some for this machine: see
// package aot. Results are the same.
func CompileVectors(p *rowprog.Program) (*Kernel, error) { return compile(p, true) }

func compile(p *rowprog.Program, vectors bool) (*Kernel, error) {
	if err := p.Verify(); err != nil {
		return nil, err
	}
	c := newCompiler(p)
	c.vectors = vectors
	for s := range p.Stages {
		c.stage(s)
	}
	return c.finish(), nil
}

// Program is what the kernel was compiled from.
func (k *Kernel) Program() *rowprog.Program { return k.prog }

// Run calls the kernel on the whole iteration space, in the canonical order. The
// arguments must have passed launch.Check. If a guard fails, ok is false. Run
// allocates nothing once the scratch has seen the kernel and the sizes.
func (k *Kernel) Run(a *launch.Args, s *Scratch) (fault launch.Fault, ok bool) {
	return s.partial.Run(k.prog, a, func(a *launch.Args, lo, hi int) (launch.Fault, bool) {
		return k.RunRange(a, lo, hi, s)
	})
}

// RunRange calls the kernel on the part [lo, hi) of outer axis 0. Ranges may run in parallel, each with its own
// scratch. If the program accumulates over axis 0, each range starts from the neutral element, and its result belongs
// in a launch.Partial.
func (k *Kernel) RunRange(a *launch.Args, lo, hi int, s *Scratch) (fault launch.Fault, ok bool) {
	s.Reserve(k)
	s.start(k, a, lo, hi)
	defer s.release()
	if s.empty() {
		k.setIdentities(s)
		return launch.Fault{}, true
	}
	s.evaluate(rowprog.CallSection)
	for _, do := range k.call {
		do(s, min(a.N, Block))
	}
	for more := true; more && !s.faulted; more = s.nextRow() {
		k.row(s)
	}
	return s.fault, !s.faulted
}

// row runs all sections of the current row.
func (k *Kernel) row(s *Scratch) {
	for i := range k.stages {
		st := &k.stages[i]
		if s.evaluate(rowprog.RowSection(i)); s.faulted {
			return
		}
		for _, do := range st.begin {
			do(s, min(s.args.N, Block))
		}
		for s.at = 0; s.at < s.args.N; s.at += Block {
			n := min(s.args.N-s.at, Block)
			for _, do := range st.block {
				do(s, n)
			}
			if s.faulted {
				return
			}
		}
		for _, do := range st.end {
			do(s, 0)
		}
	}
	s.evaluate(rowprog.RowSection(k.prog.Stages))
}
