package pjrt

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// Program is a compiled module. [Program.Close] frees it.
type Program struct {
	client     *Client
	handle     handle
	device     handle
	arguments  []Type
	numOutputs int

	life   sync.RWMutex // held for reading while it runs
	closed bool
}

// describe reads the arguments from the text of the module, and queries the plugin for the rest.
func (p *Program) describe(mlir string) (err error) {
	plugin := p.client.plugin
	if p.arguments, err = argumentsOf(mlir); err != nil {
		return err
	}
	devices, err := plugin.list(loadedAddressableDevices, p.handle)
	if err != nil {
		return err
	}
	if len(devices) != 1 {
		return fmt.Errorf("the module is compiled for %d devices; one can be run here, without shardings over more",
			len(devices))
	}
	p.device = devices[0]
	executable := getArgs{object: p.handle}
	if err := call(plugin, loadedGetExecutable, &executable); err != nil {
		return err
	}
	defer plugin.free(executableDestroy, executable.result)
	outputs := getArgs{object: executable.result}
	if err := call(plugin, executableNumOutputs, &outputs); err != nil {
		return err
	}
	p.numOutputs = int(outputs.result)
	return nil
}

// Arguments returns the types of the program's arguments, in order.
func (p *Program) Arguments() []Type { return append([]Type(nil), p.arguments...) }

// Run runs the program and returns its results, in order. Arguments are of the dtypes and shapes of the module's
// @main; their memory is the caller's again when Run returns. If the context ends first, Run returns its error,
// and the device goes on until it is done.
func (p *Program) Run(ctx context.Context, args ...Array) ([]Array, error) {
	if p == nil || p.client == nil {
		return nil, errors.New("pjrt.Run: this program was not made by Compile")
	}
	results, err := p.run(ctx, args)
	if err != nil {
		return nil, fmt.Errorf("pjrt.Run: %w", err)
	}
	return results, nil
}

func (p *Program) run(ctx context.Context, args []Array) ([]Array, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(args) != len(p.arguments) {
		return nil, fmt.Errorf("%d arguments; the program takes %d", len(args), len(p.arguments))
	}
	for i, a := range args {
		if err := a.check(p.arguments[i]); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
	}
	p.life.RLock()
	if p.closed {
		p.life.RUnlock()
		return nil, errors.New("the program is closed")
	}
	// Arguments are copied before anything waits, so that an early return leaves the caller's memory alone.
	buffers, err := p.upload(args)
	if err != nil {
		p.life.RUnlock()
		return nil, err
	}
	return within(ctx, func() ([]Array, error) {
		defer p.life.RUnlock()
		return p.execute(buffers)
	}, func([]Array) {})
}

func (p *Program) upload(args []Array) (buffers []handle, err error) {
	for i, a := range args {
		buffer, err := p.uploadOne(a)
		if err != nil {
			p.freeBuffers(buffers)
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		buffers = append(buffers, buffer)
	}
	return buffers, nil
}

func (p *Program) uploadOne(a Array) (handle, error) {
	plugin := p.client.plugin
	dims := make([]int64, len(a.Shape))
	for i, d := range a.Shape {
		dims[i] = int64(d)
	}
	data := a.Data
	if len(data) == 0 {
		data = make([]byte, 1) // an empty array has an address too
	}
	args := bufferFromHostArgs{client: p.client.handle, data: unsafe.Pointer(unsafe.SliceData(data)),
		dtype: int32(a.DType),
		dims:  unsafe.SliceData(dims), numDims: uintptr(len(dims)), device: p.device}
	if err := call(plugin, clientBufferFromHost, &args); err != nil {
		return 0, err
	}
	if err := plugin.await(args.doneWithBuffer); err != nil {
		plugin.free(bufferDestroy, args.buffer)
		return 0, err
	}
	return args.buffer, nil
}

func (p *Program) freeBuffers(buffers []handle) {
	for _, b := range buffers {
		p.client.plugin.free(bufferDestroy, b)
	}
}

// execute runs the program on buffers, which it frees.
func (p *Program) execute(buffers []handle) ([]Array, error) {
	defer p.freeBuffers(buffers)
	plugin := p.client.plugin
	outputs := make([]handle, max(p.numOutputs, 1)) // a list of none has an address too
	defer p.freeBuffers(outputs)
	// Lists of lists: one for each device. A program may have no arguments.
	argumentList, outputList := unsafe.SliceData(append(buffers, 0)), unsafe.SliceData(outputs)
	var complete handle
	err := call(plugin, loadedExecute, &executeArgs{
		executable: p.handle, options: &executeOptions{header: header{size: sizeOf[executeOptions]()}},
		arguments: &argumentList, numDevices: 1, numArgs: uintptr(len(buffers)), outputs: &outputList,
		complete: &complete,
	})
	if err != nil {
		return nil, err
	}
	if err := plugin.await(complete); err != nil {
		return nil, err
	}
	results := make([]Array, p.numOutputs)
	for i := range results {
		if results[i], err = p.download(outputs[i]); err != nil {
			return nil, fmt.Errorf("result %d: %w", i, err)
		}
	}
	return results, nil
}

func (p *Program) download(buffer handle) (a Array, err error) {
	plugin := p.client.plugin
	dtype := intArgs{object: buffer}
	if err := call(plugin, bufferElementType, &dtype); err != nil {
		return a, err
	}
	dims := dimensionsArgs{buffer: buffer}
	if err := call(plugin, bufferDimensions, &dims); err != nil {
		return a, err
	}
	a.DType = DType(dtype.result)
	a.Shape = make([]int, dims.size)
	minorToMajor := make([]int64, dims.size)
	for i, d := range unsafe.Slice(dims.dims, dims.size) {
		a.Shape[i] = int(d)
		minorToMajor[i] = int64(len(minorToMajor) - 1 - i)
	}
	size, err := Type{a.DType, a.Shape}.bytes()
	if err != nil {
		return a, err
	}
	if size == 0 {
		return a, nil
	}
	a.Data = make([]byte, size)
	// A device may hold axes in another order; here the last one is the fastest.
	layout := &memoryLayout{header: header{size: sizeOf[memoryLayout]()},
		tiled: tiledLayout{header: header{size: sizeOf[tiledLayout]()},
			minorToMajor: unsafe.SliceData(minorToMajor), size: uintptr(len(minorToMajor))}}
	args := toHostArgs{buffer: buffer, layout: layout, data: unsafe.Pointer(unsafe.SliceData(a.Data)),
		size: uintptr(size)}
	if err := call(plugin, bufferToHost, &args); err != nil {
		return a, err
	}
	err = plugin.await(args.arrived)
	runtime.KeepAlive(a.Data)
	return a, err
}

// Close frees the program, after what runs. Closing again does nothing.
func (p *Program) Close() {
	if p == nil || p.client == nil {
		return
	}
	p.life.Lock()
	defer p.life.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	p.client.plugin.free(loadedDestroy, p.handle)
	p.client.mu.Lock()
	defer p.client.mu.Unlock()
	delete(p.client.programs, p)
}
