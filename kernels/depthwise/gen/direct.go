package main

import (
	"fmt"

	"github.com/broadloom/broadloom/kernels/asm"
)

// The fields of directArgs, by offset.
const (
	argDirectPlanes = 0
	argDirectX      = 8
	argDirectXPlane = 16
	argDirectY      = 24
	argDirectYPlane = 32
	argDirectW      = 40
	argDirectWPlane = 48
	argDirectYRow   = 56
	argSteps        = 64
	argRowsAt       = 72
	argBlocks       = 80
	argBlockMasks   = 88
	argStored       = 96
	argZeros        = 104
	argZeroCount    = 112
	argDirectXNow   = 120
	argDirectYNow   = 128
	argDirectWNow   = 136
	argIndices      = 144
	argYBefore      = 152
)

// directKernels are the sizes along both axes of filters with special code, by stride.
var directKernels = map[int][]int{1: {3, 5, 7}, 2: {3, 5}}

// masksOfBlock is how many masks a block of columns has in memory.
const masksOfBlock = 8

// direct is the code of convolutions that read planes in place, with kernel numbers along both axes and steps of
// stride: one vector of columns after the other, and in each row by row. A row contributes to the sums of several rows
// of the result, each of which has a register. With each row, or pair of rows for a stride of 2, one is stored and one
// begins.
type direct struct {
	kernel, stride int
	a              *asm.Asm
}

// Registers. Those of masks, for the columns that a number of the filter multiplies, count from 1.
const (
	steps      = asm.RAX
	row        = asm.RSI
	rowsAt     = asm.R8
	result     = asm.RDX
	resultRow  = asm.RBX
	columns    = asm.RCX // the first element of the block in a row, less where the row lies
	stored     = asm.R10 // masks of the steps
	blockMasks = asm.R11
	blocks     = asm.R12
	firstRow   = asm.R13 // of the result
	weights    = asm.R14
	storedNow  = asm.R15
	storeMask  = 7
	rowBytes   = 8 // where a row lies
	maskBytes  = 2
	vectorSize = 64
)

func (d *direct) sums() int { return (d.kernel + d.stride - 1) / d.stride }

// sum is the register of a row of the result that began ago steps before.
func (d *direct) sum(phase, ago int) asm.Vec { return asm.Vec((phase - ago + d.kernel) % d.sums()) }

// element is the register of the elements of a row that a number of the filter multiplies.
func (d *direct) element(j int) asm.Vec { return asm.Vec(d.sums() + j) }

const spareElement, evenIndex, oddIndex, firstWeight = asm.Vec(15), asm.Vec(30), asm.Vec(31), asm.Vec(16)

func (d *direct) hasWeights() bool { return d.kernel == 3 }

func (d *direct) code() *asm.Asm {
	a := asm.New(arch)
	d.a = a
	begin(a, argDirectX, argDirectXNow)
	load(a, result, argDirectY)
	a.SubLoad(result, asm.At(asm.RDI, argYBefore))
	a.MovStore(asm.At(asm.RDI, argDirectYNow), result)
	begin(a, argDirectW, argDirectWNow)
	if d.stride == 2 {
		load(a, row, argIndices)
		a.M(asm.MOVUPS, asm.W512, evenIndex, 0, asm.At(row, 0))
		a.M(asm.MOVUPS, asm.W512, oddIndex, 0, asm.At(row, vectorSize))
	}
	plane := a.Here()
	load(a, weights, argDirectWNow, columns, argDirectXNow, firstRow, argDirectYNow, blocks, argBlocks, blockMasks,
		argBlockMasks, stored, argStored,
		resultRow, argDirectYRow)
	if d.hasWeights() {
		for k := range d.kernel * d.kernel {
			a.M(asm.BROADCASTSS, asm.W512, firstWeight+asm.Vec(k), 0, asm.At(weights, int32(4*k)))
		}
	}
	block := a.Here()
	for k := range d.loads() {
		a.M(asm.KMOVW, asm.W128, asm.Vec(k+1), 0, asm.At(blockMasks, int32(maskBytes*k)))
	}
	load(a, steps, argSteps, rowsAt, argRowsAt)
	a.Mov(result, firstRow)
	a.Mov(storedNow, stored)
	next, done := a.Here(), a.NewLabel()
	for phase := range d.sums() {
		d.step(phase)
		a.Add(result, resultRow)
		a.SubImm(steps, 1)
		a.JumpIf(asm.Equal, done)
	}
	a.AddImm(rowsAt, int32(rowBytes*d.stride*d.sums()))
	a.AddImm(storedNow, int32(maskBytes*d.sums()))
	a.Jump(next)
	a.Bind(done)
	a.AddImm(columns, int32(vectorSize*d.stride))
	a.AddImm(firstRow, vectorSize)
	a.AddImm(blockMasks, masksOfBlock*maskBytes)
	load(a, row, argSteps)
	a.Lea(stored, asm.Indexed(stored, row, maskBytes, 0))
	a.SubImm(blocks, 1)
	a.JumpIf(asm.NotEqual, block)
	d.nextPlane(plane)
	return a
}

// nextPlane advances to the next plane, from which the zeros are farther back.
func (d *direct) nextPlane(plane asm.Label) {
	a := d.a
	const zero, count, step = asm.RAX, asm.RSI, asm.R8
	load(a, zero, argZeros, count, argZeroCount, step, argDirectXPlane)
	next, none := a.NewLabel(), a.NewLabel()
	a.Bind(next)
	a.SubImm(count, 1)
	a.JumpIf(asm.Less, none)
	a.MovLoad(asm.RDX, asm.Indexed(zero, count, 8, 0)) // the address of an entry
	a.MovLoad(asm.RBX, asm.At(asm.RDX, 0))
	a.Sub(asm.RBX, step)
	a.MovStore(asm.At(asm.RDX, 0), asm.RBX)
	a.Jump(next)
	a.Bind(none)
	advance(a, argDirectXPlane, argDirectXNow)
	advance(a, argDirectYPlane, argDirectYNow)
	advance(a, argDirectWPlane, argDirectWNow)
	a.Dec(asm.At(asm.RDI, argDirectPlanes))
	a.JumpIf(asm.NotEqual, plane)
}

// loads is how many vectors of a row are loaded; each has a mask.
func (d *direct) loads() int {
	if d.stride == 2 {
		return d.kernel + 1
	}
	return d.kernel
}

// step adds the products of a row, or of two.
func (d *direct) step(phase int) {
	a := d.a
	for i := range d.stride {
		a.MovLoad(row, asm.At(rowsAt, int32(rowBytes*(phase*d.stride+i))))
		a.Add(row, columns)
		d.loadRow()
		for ago := d.sums() - 1; ago >= 0; ago-- {
			if down := ago*d.stride + i; down < d.kernel {
				d.multiply(phase, ago, down)
			}
		}
	}
}

// multiply adds the products of a row with the numbers of row down of the filter to the sums of a row of the result.
func (d *direct) multiply(phase, ago, down int) {
	a, sum := d.a, d.sum(phase, ago)
	if down == 0 {
		a.R(asm.XORPS, asm.W128, sum, sum, sum)
	}
	for j := range d.kernel {
		k := down*d.kernel + j
		if d.hasWeights() {
			a.R(asm.FMADDPS[2], asm.W512, sum, d.element(j), firstWeight+asm.Vec(k))
			continue
		}
		m := asm.At(weights, int32(4*k))
		m.Broadcast = true
		a.M(asm.FMADDPS[2], asm.W512, sum, d.element(j), m)
	}
	if down == d.kernel-1 {
		a.M(asm.KMOVW, asm.W128, storeMask, 0, asm.At(storedNow, int32(maskBytes*phase)))
		a.MK(asm.MOVUPSSt, asm.W512, sum, 0, asm.At(result, 0), asm.Mask{K: storeMask})
		if d.loads() == storeMask { // there is no register besides
			a.M(asm.KMOVW, asm.W128, storeMask, 0, asm.At(blockMasks, maskBytes*(storeMask-1)))
		}
	}
}

// loadRow loads the elements of a row that the numbers of a filter multiply; for a stride of 2, the even columns and
// the odd ones of two vectors.
func (d *direct) loadRow() {
	a := d.a
	vector := func(v asm.Vec, at int32, mask int) {
		a.MK(asm.MOVUPS, asm.W512, v, 0, asm.At(row, at), asm.Mask{K: uint8(mask), Zero: true})
	}
	if d.stride == 1 {
		for j := range d.kernel {
			vector(d.element(j), int32(4*j), j+1)
		}
		return
	}
	for j := 0; j < d.kernel; j += 2 {
		even := d.element(j)
		vector(even, int32(4*j), j+1)
		vector(spareElement, int32(4*j+vectorSize), j+2)
		if j+1 < d.kernel {
			odd := d.element(j + 1)
			a.R(asm.MOVAPS, asm.W512, odd, 0, even)
			a.R(asm.PERMT2PS, asm.W512, odd, oddIndex, spareElement)
		}
		a.R(asm.PERMT2PS, asm.W512, even, evenIndex, spareElement)
	}
}

// addDirect writes the code for all kernels, and a table of them by stride and kernel.
func addDirect(add func(name, args, doc string, a *asm.Asm)) (table string) {
	for _, stride := range []int{1, 2} {
		for _, kernel := range directKernels[stride] {
			name := fmt.Sprintf("direct%dx%dBy%d", kernel, kernel, stride)
			add(name, "directArgs", fmt.Sprintf(
				"convolves planes with filters of %d by %d numbers, in steps of %d", kernel, kernel, stride),
				(&direct{kernel: kernel, stride: stride}).code())
			table += fmt.Sprintf("\t{%d, %d}: %s,\n", kernel, stride, name)
		}
	}
	return fmt.Sprintf(
		"// directAVX512 has the loops that read planes where they lie, by numbers of the filter along an axis and step.\nvar directAVX512 = map[[2]int]func(*directArgs){\n%s}\n", table)
}
