package backend

import (
	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/internal/aot"
	"github.com/broadloom/broadloom/kernels/interp"
	"github.com/broadloom/broadloom/kernels/launch"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// Kernel is a compiled row program. Several goroutines may use it at once, each with its own scratch.
type Kernel interface {
	// Program is what the kernel was compiled from.
	Program() *rowprog.Program

	// Run calls the kernel on the whole iteration space, in the canonical order. The
	// arguments must have passed launch.Check. If a guard fails, ok is false.
	Run(a *launch.Args, s *Scratch) (fault launch.Fault, ok bool)

	// RunRange calls the kernel on the part [lo, hi) of outer axis 0. Ranges may run in parallel. If the program
	// accumulates over axis 0, each range starts from the neutral element, and its result belongs in a launch.Partial.
	RunRange(a *launch.Args, lo, hi int, s *Scratch) (fault launch.Fault, ok bool)

	// Machine reports whether the kernel is machine code.
	Machine() bool
}

// Scratch is the memory of a call. It serves any number of kernels, one call at a time. The zero value is ready for use
// and grows as needed; Reserve grows it in advance.
type Scratch struct {
	portable interp.Scratch
	partial  launch.Partial
	frame    frame
	rows     rows
	flat     flattened
	chunked  ChunkedRow
}

// Reserve allocates enough memory for calls of the kernels.
func (s *Scratch) Reserve(kernels ...Kernel) {
	for _, k := range kernels {
		switch k := k.(type) {
		case *nativeKernel:
			s.frame.reserve(k.layout.Size)
		case *interpKernel:
			s.portable.Reserve(k.kernel)
		}
	}
}

// Compile makes a kernel of a program.
func Compile(p *rowprog.Program) (Kernel, error) {
	kernels, err := CompileAll(p)
	if err != nil {
		return nil, err
	}
	return kernels[0], nil
}

// hasMachineCode reports whether this machine runs machine code; some programs may still have none.
func hasMachineCode() bool { return cpu.JIT() && cpu.Chosen() != cpu.Portable }

// CompileAll makes kernels of programs that are used together. Their code shares a block of memory, which is freed when
// none of the kernels is in use any more.
func CompileAll(programs ...*rowprog.Program) ([]Kernel, error) {
	for _, p := range programs {
		if err := p.Verify(); err != nil {
			return nil, err
		}
	}
	kernels := make([]Kernel, len(programs))
	if hasMachineCode() {
		compileNative(kernels, programs)
	}
	for i, k := range kernels {
		if k != nil {
			continue
		}
		c, err := interp.CompileVectors(programs[i])
		if err != nil {
			return nil, err
		}
		kernels[i] = &interpKernel{c}
	}
	return kernels, nil
}

// compiled is machine code and its place in a block, or why there is none.
type compiled struct {
	outcome
	offset int
}

// compileNative makes kernels of machine code. It leaves out programs without code, and does nothing if there is no
// executable memory.
func compileNative(kernels []Kernel, programs []*rowprog.Program) {
	var made []*nativeKernel // those of programs, then those that they need
	var parts codeParts
	keys, byKey := make([]string, len(programs)), map[string]*rowprog.Program{}
	for i, p := range programs {
		keys[i] = p.Key()
		byKey[keys[i]] = p
	}
	outcomes := codes.compileAll(byKey, target())
	shared := map[string]compiled{} // by the programs' keys
	add := func(p *rowprog.Program, key string) (k *nativeKernel) {
		c, known := shared[key]
		if !known {
			if c.outcome, known = outcomes[key]; !known {
				c.outcome = codes.compile(p, key, target())
			}
			if c.err == nil {
				c.offset = parts.add(c.code)
			}
			shared[key] = c
		}
		dump(p, "", c.code, c.err)
		if c.err == nil {
			k = newNativeKernel(p, c.code, c.offset)
		}
		made = append(made, k)
		return k
	}
	for i, p := range programs {
		add(p, keys[i])
	}
	for _, k := range made[:len(programs)] {
		if k != nil {
			k.addNeutral(func(p *rowprog.Program) *nativeKernel { return add(p, p.Key()) })
		}
	}
	if len(parts.list) == 0 {
		return
	}
	block, err := parts.load()
	if err != nil {
		return
	}
	for i, m := range made {
		if m == nil {
			continue
		}
		if m.code = block; i < len(kernels) {
			kernels[i] = m
		}
	}
}

// target is the instruction set to compile for.
func target() codegen.Target { return aot.Target(cpu.Chosen()) }

// interpKernel is a kernel of the portable interpreter.
type interpKernel struct{ kernel *interp.Kernel }

func (k *interpKernel) Program() *rowprog.Program { return k.kernel.Program() }

func (k *interpKernel) Run(a *launch.Args, s *Scratch) (launch.Fault, bool) {
	return k.kernel.Run(a, &s.portable)
}

func (k *interpKernel) RunRange(a *launch.Args, lo, hi int, s *Scratch) (launch.Fault, bool) {
	return k.kernel.RunRange(a, lo, hi, &s.portable)
}

func (k *interpKernel) Machine() bool { return false }
