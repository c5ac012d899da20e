package depthwise

import (
	"sync"
	"unsafe"
)

// If the processor has masks for vectors, planes are read and results written in place, for square filters with few
// numbers. A column of vectors moves down a plane row by row. Rows above and below the plane are zeros.

type directArgs struct {
	planes     int
	x          unsafe.Pointer
	xPlane     int
	y          *float32
	yPlane     int
	w          *float32
	wPlane     int
	yRow       int
	steps      int
	rows       *int // where rows lie, in bytes from where a plane has its first element, less the columns before it
	blocks     int  // of a vector of columns each
	blockMasks *uint16
	stored     *uint16 // masks of the steps of each block: which elements are written
	zeros      *uintptr
	zeroCount  int // entries of rows that are zeros, whose addresses are listed
	//lint:ignore U1000 machine code keeps it here
	xNow, yNow, wNow uintptr // of the plane at hand
	indices          *[2 * lanes]uint32
	yBefore          int // where the first step would write, in bytes before y: it does not
}

// directCalls are unused arguments of calls.
var directCalls = sync.Pool{New: func() any { return new(directArgs) }}

// masksOfBlock is how many masks of loads a block of columns has.
const masksOfBlock = 8

// splitIndices select the even elements of two vectors, and the odd ones.
var splitIndices = func() *[2 * lanes]uint32 {
	list := new([2 * lanes]uint32)
	for i := range uint32(lanes) {
		list[i], list[lanes+i] = 2*i, 2*i+1
	}
	return list
}()

// direct returns the loop that reads planes in place, or nil.
func (c *Conv) direct() func(*directArgs) {
	h, w := &c.Axes[0], &c.Axes[1]
	if h.Kernel != w.Kernel || h.Stride != w.Stride || h.Dilation*w.Dilation*h.Spread*w.Spread != 1 ||
		h.In*w.In*h.Out*w.Out == 0 {
		return nil
	}
	return current.direct[[2]int{h.Kernel, h.Stride}]
}

// directSizes are the sizes of the tables that a loop reads besides planes.
type directSizes struct{ steps, rows, blocks, zeros int }

func (c *Conv) directSizes() (s directSizes) {
	h, w := &c.Axes[0], &c.Axes[1]
	s.steps = h.Out + (h.Kernel-1)/h.Stride
	s.rows, s.blocks = s.steps*h.Stride, (w.Out+lanes-1)/lanes
	s.zeros = w.In + 2*lanes // no element beyond is read
	return s
}

// memory is the number of words for the masks and the zeros. numbers is the number of integers for the places of rows
// and the addresses of those that are zeros.
func (s directSizes) memory() int  { return words(s.zeros) + (s.blocks*(masksOfBlock+s.steps)+3)/4 }
func (s directSizes) numbers() int { return 2 * s.rows }

// runDirect computes the convolution with a loop that reads planes in place.
func (c *Conv) runDirect(loop func(*directArgs), y, x, w []float32, memory []uint64, numbers []int) {
	h, v, s := &c.Axes[0], &c.Axes[1], c.directSizes()
	zeros := memory[:words(s.zeros)]
	clear(zeros)
	masks := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(memory[len(zeros):]))),
		s.blocks*(masksOfBlock+s.steps))
	a := directCalls.Get().(*directArgs)
	defer directCalls.Put(a)
	rows := numbers[:s.rows]
	places := unsafe.Slice((*uintptr)(unsafe.Pointer(unsafe.SliceData(numbers[s.rows:]))), s.rows)
	before := 4 * v.Before // bytes
	*a = directArgs{planes: c.Channels, x: unsafe.Pointer(&x[0]), xPlane: 4 * h.In * v.In, y: &y[0],
		yBefore: 4 * (s.steps - h.Out) * v.Out, yPlane: 4 * h.Out * v.Out, w: &w[0], wPlane: 4 * c.kernel(),
		yRow: 4 * v.Out, steps: s.steps, rows: &rows[0], blocks: s.blocks, blockMasks: &masks[0],
		stored: &masks[s.blocks*masksOfBlock], zeros: &places[0],
		indices: splitIndices}
	for i := range rows {
		at := i - h.Before
		rows[i] = 4*at*v.In - before
		if at < 0 || at >= h.In {
			rows[i] = int(uintptr(unsafe.Pointer(&zeros[0]))-uintptr(a.x)) - before
			places[a.zeroCount] = uintptr(unsafe.Pointer(&rows[i]))
			a.zeroCount++
		}
	}
	for block := range s.blocks {
		c.maskBlock(block, masks[block*masksOfBlock:][:masksOfBlock],
			masks[s.blocks*masksOfBlock+block*s.steps:][:s.steps])
	}
	loop(a)
	*a = directArgs{}
}

// maskBlock sets the masks of loads and stores for a block of columns.
func (c *Conv) maskBlock(block int, read, stored []uint16) {
	v := &c.Axes[1]
	first := block * lanes
	for k := range read {
		at := first*v.Stride - v.Before + k
		if v.Stride == 2 { // two vectors for the numbers 2i and 2i+1
			at = first*v.Stride - v.Before + k/2*2 + k%2*lanes
		}
		read[k] = maskOf(-at, v.In-at)
	}
	for step := range stored {
		stored[step] = 0
		if step >= len(stored)-c.Axes[0].Out {
			stored[step] = maskOf(0, v.Out-first)
		}
	}
}

// maskOf is the mask of the elements [from, to) of a vector.
func maskOf(from, to int) uint16 {
	below := func(n int) uint32 { return 1<<max(0, min(n, lanes)) - 1 }
	return uint16(below(to) &^ below(from))
}
