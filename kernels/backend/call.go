package backend

import (
	"runtime"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/launch"
)

// Call is a kernel with arguments whose sizes and steps are fixed; pointers may change from run to run. What machine
// code needs of the sizes is computed once, so that a small kernel takes little longer than its code. A Call serves one
// goroutine at a time.
type Call struct {
	kernel Kernel
	args   *launch.Args
	direct *nativeKernel // whose code does the whole work at once, nil if it must be called otherwise
	frame  frame
	fills  []*Call // that write neutral elements before it, in a list: of the kernel's accumulated operands
}

// Prepare makes a call. The arguments' sizes and steps must not change after it.
func Prepare(k Kernel, a *launch.Args) *Call {
	c := &Call{kernel: k, args: a}
	m, ok := k.(*nativeKernel)
	if ok {
		m = m.suited(a)
		c.kernel = m
	}
	if ok && m.isOneCall(a) {
		c.direct = m
		c.frame.reserve(m.layout.Size)
		c.reset()
	}
	return c
}

// isOneCall reports whether a single call of the code does the work of a run.
func (k *nativeKernel) isOneCall(a *launch.Args) bool {
	return a.Elements() <= k.callElements && !k.isChunked(a) && !(k.maxRow > 0 && a.N > k.maxRow) &&
		!empty(a, 0, a.Rows()) && k.isPlain(a) && !k.isBetterFlat(a) &&
		launch.Chunks(k.prog, a) == 1
}

// Point sets the address of an operand in the arguments. A [List] takes note of it.
func (c *Call) Point(operand int, p unsafe.Pointer) {
	c.args.Ptr[operand] = p
	if k := c.direct; k != nil {
		*(*uintptr)(unsafe.Add(c.frame.base, k.layout.Pointer(operand))) = uintptr(p)
		for i, fill := range c.fills {
			if k.accs[i].operand == operand {
				fill.Point(0, p)
			}
		}
	}
}

// reset writes the sizes.
func (c *Call) reset() {
	c.frame.set(c.direct, c.args)
	c.frame.rows(c.direct, 0, c.args.Rows())
}

// Run calls the kernel on the whole iteration space: see [Kernel].
func (c *Call) Run(s *Scratch) (fault launch.Fault, ok bool) {
	k := c.direct
	if k == nil {
		return c.kernel.Run(c.args, s)
	}
	if len(k.accs) > 0 {
		k.setNeutral(c.args, 0, c.args.Rows())
	}
	c.frame.pointers(k, c.args)
	k.code.Call(k.offset, c.frame.base)
	if c.frame.faulted(k) {
		fault = c.frame.fault(k, c.args)
		c.reset()
		return fault, false
	}
	runtime.KeepAlive(c)
	return fault, true
}
