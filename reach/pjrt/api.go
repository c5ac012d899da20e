package pjrt

import (
	"reflect"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The layouts below are those of xla/pjrt/c/pjrt_c_api.h of openxla/xla at version 0.81, and of ExecuteOptions at 0.97
// (see CHANGELOG.md in the same folder). Within a major version structs and the table of functions only grow at their
// ends, except in 0.57, which moved functions. Each struct begins with its size, by which a plugin knows its fields.
const (
	majorVersion = 0
	minMinor     = 57
)

// function is the place of a function in the table of a plugin, after its header.
type function int

const (
	errorDestroy             function = 0
	errorMessage             function = 1
	errorGetCode             function = 2
	pluginInitialize         function = 3
	eventDestroy             function = 5
	eventAwait               function = 8
	clientCreate             function = 10
	clientDestroy            function = 11
	clientPlatformName       function = 12
	clientPlatformVersion    function = 14
	clientAddressableDevices function = 16
	clientCompile            function = 20
	clientBufferFromHost     function = 22
	descriptionID            function = 23
	descriptionKind          function = 26
	descriptionToString      function = 28
	deviceGetDescription     function = 29
	executableDestroy        function = 40
	executableNumOutputs     function = 44
	loadedDestroy            function = 50
	loadedGetExecutable      function = 51
	loadedAddressableDevices function = 52
	loadedExecute            function = 55
	bufferDestroy            function = 58
	bufferElementType        function = 59
	bufferDimensions         function = 60
	bufferToHost             function = 70
	numFunctions                      = 71 // at least
)

var neededFunctions = []function{
	errorDestroy, errorMessage, errorGetCode, pluginInitialize, eventDestroy, eventAwait, clientCreate, clientDestroy,
	clientPlatformName, clientPlatformVersion, clientAddressableDevices, clientCompile, clientBufferFromHost,
	descriptionID, descriptionKind, descriptionToString, deviceGetDescription, executableDestroy,
	executableNumOutputs, loadedDestroy, loadedGetExecutable, loadedAddressableDevices, loadedExecute, bufferDestroy,
	bufferElementType, bufferDimensions, bufferToHost,
}

// handle is an object of the plugin: memory that Go does not know.
type handle uintptr

// header begins each struct.
type header struct {
	size      uintptr
	extension unsafe.Pointer
}

// apiTable is the head of what GetPjrtApi returns; functions follow.
type apiTable struct {
	header
	version struct {
		header
		major, minor int32
	}
	functions [numFunctions]uintptr
}

// Arguments that only name an object.
type objectArgs struct {
	header
	object handle
}

// Arguments that ask an object for another one, or for a number of its size.
type getArgs struct {
	header
	object handle
	result handle
}

// Arguments that query an integer of an object, such as an element type.
type intArgs struct {
	header
	object handle
	result int32
}

// Arguments that ask an object for text, which lives as long as the object.
type textArgs struct {
	header
	object handle
	text   *byte
	size   uintptr
}

// Arguments that ask an object for a list of objects, which lives as long as the object.
type listArgs struct {
	header
	object handle
	list   *handle
	size   uintptr
}

type dimensionsArgs struct {
	header
	buffer handle
	dims   *int64
	size   uintptr
}

type clientCreateArgs struct {
	header
	options     unsafe.Pointer
	numOptions  uintptr
	get, getArg uintptr
	put, putArg uintptr
	client      handle
	try, tryArg uintptr
}

type programText struct {
	header
	code       *byte
	codeSize   uintptr
	format     *byte
	formatSize uintptr
}

type compileArgs struct {
	header
	client      handle
	program     *programText
	options     *byte
	optionsSize uintptr
	executable  handle
}

// oneDevice is a CompileOptionsProto (xla/pjrt/proto/compile_options.proto) in protobuf's wire format: field 3,
// executable_build_options, of four bytes: field 4, num_replicas, is 1, and field 5, num_partitions, is 1.
var oneDevice = []byte{3<<3 | 2, 4, 4 << 3, 1, 5 << 3, 1}

type bufferFromHostArgs struct {
	header
	client         handle
	data           unsafe.Pointer
	dtype          int32
	dims           *int64
	numDims        uintptr
	strides        *int64
	numStrides     uintptr
	semantics      int32 // 0: the plugin has copied the data when the call returns
	device         handle
	memory         handle
	layout         unsafe.Pointer
	doneWithBuffer handle
	buffer         handle
}

type executeOptions struct {
	header
	send, recv         unsafe.Pointer
	numSend, numRecv   uintptr
	launchID           int32
	keep               *int64
	numKeep            uintptr
	context            handle
	callLocation       *byte
	numTasks           uintptr
	tasks, incarnation unsafe.Pointer
	multiSlice         unsafe.Pointer
}

type executeArgs struct {
	header
	executable handle
	options    *executeOptions
	arguments  **handle
	numDevices uintptr
	numArgs    uintptr
	outputs    **handle
	complete   *handle
	device     handle
}

type tiledLayout struct {
	header
	minorToMajor *int64
	size         uintptr
	tileDims     *int64
	tileSizes    *uintptr
	numTiles     uintptr
}

// memoryLayout is a union of a tiled layout, which is the larger, and of strides.
type memoryLayout struct {
	header
	tiled tiledLayout
	kind  int32 // 0: tiled
}

type toHostArgs struct {
	header
	buffer  handle
	layout  *memoryLayout
	data    unsafe.Pointer
	size    uintptr
	arrived handle
}

// sizeOf is the size of a struct as C counts it here: to the end of its last field.
func sizeOf[A any]() uintptr {
	t := reflect.TypeFor[A]()
	last := t.Field(t.NumField() - 1)
	return last.Offset + last.Type.Size()
}

// call calls a function of the plugin, and returns its error.
func call[A any](p *Plugin, f function, args *A) error {
	if failure := p.raw(f, setSize(args)); failure != 0 {
		return p.take(handle(failure))
	}
	return nil
}

// setSize fills in the size of a struct, which begins with a header.
func setSize[A any](args *A) unsafe.Pointer {
	(*header)(unsafe.Pointer(args)).size = sizeOf[A]()
	return unsafe.Pointer(args)
}

func (p *Plugin) raw(f function, args unsafe.Pointer) uintptr {
	result, _, _ := purego.SyscallN(p.functions[f], uintptr(args))
	runtime.KeepAlive(args)
	return result
}

// take makes a Go error of one of the plugin, and frees that.
func (p *Plugin) take(failure handle) error {
	message := textArgs{object: failure}
	p.raw(errorMessage, setSize(&message))
	code := intArgs{object: failure}
	if second := p.raw(errorGetCode, setSize(&code)); second != 0 {
		p.raw(errorDestroy, setSize(&objectArgs{object: handle(second)}))
	}
	e := &Error{Code: Code(code.result), Message: string(unsafe.Slice(message.text, message.size))}
	p.raw(errorDestroy, setSize(&objectArgs{object: failure}))
	return e
}

// free destroys an object; there is nothing to do about an error of that.
func (p *Plugin) free(f function, object handle) {
	if object != 0 {
		_ = call(p, f, &objectArgs{object: object})
	}
}

// await waits for an event and frees it.
func (p *Plugin) await(event handle) error {
	if event == 0 {
		return nil
	}
	defer p.free(eventDestroy, event)
	return call(p, eventAwait, &objectArgs{object: event})
}

func (p *Plugin) text(f function, object handle) (string, error) {
	args := textArgs{object: object}
	if err := call(p, f, &args); err != nil {
		return "", err
	}
	return string(unsafe.Slice(args.text, args.size)), nil
}

func (p *Plugin) list(f function, object handle) ([]handle, error) {
	args := listArgs{object: object}
	if err := call(p, f, &args); err != nil {
		return nil, err
	}
	return append([]handle(nil), unsafe.Slice(args.list, args.size)...), nil
}
