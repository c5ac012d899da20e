package pjrt

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"unsafe"
)

// Client is a connection to the devices of a plugin. [Client.Close] frees it.
type Client struct {
	plugin            *Plugin
	handle            handle
	platform, version string
	devices           []Device

	life     sync.RWMutex // held for reading while something compiles
	closed   bool
	mu       sync.Mutex
	programs map[*Program]bool
}

// Device is a device that a client runs on.
type Device struct {
	ID          int
	Kind        string // such as "cpu" or "NVIDIA H200"
	Description string // in the plugin's words
}

// NewClient opens the devices of the plugin, with the plugin's own options. On a GPU that takes most of its memory.
func (p *Plugin) NewClient() (*Client, error) {
	if p == nil || p.functions == nil {
		return nil, errors.New("pjrt.NewClient: this plugin was not made by pjrt.Load")
	}
	args := clientCreateArgs{}
	if err := call(p, clientCreate, &args); err != nil {
		return nil, fmt.Errorf("pjrt.NewClient: %w", err)
	}
	c := &Client{plugin: p, handle: args.client, programs: map[*Program]bool{}}
	if err := c.describe(); err != nil {
		p.free(clientDestroy, c.handle)
		return nil, fmt.Errorf("pjrt.NewClient: %w", err)
	}
	return c, nil
}

// describe queries the names of the client and of its devices.
func (c *Client) describe() (err error) {
	p := c.plugin
	if c.platform, err = p.text(clientPlatformName, c.handle); err != nil {
		return err
	}
	if c.version, err = p.text(clientPlatformVersion, c.handle); err != nil {
		return err
	}
	devices, err := p.list(clientAddressableDevices, c.handle)
	if err != nil {
		return err
	}
	if len(devices) == 0 {
		return errors.New("the plugin finds no device in this machine")
	}
	for _, d := range devices {
		description := getArgs{object: d}
		if err := call(p, deviceGetDescription, &description); err != nil {
			return err
		}
		id := intArgs{object: description.result}
		if err := call(p, descriptionID, &id); err != nil {
			return err
		}
		kind, err := p.text(descriptionKind, description.result)
		if err != nil {
			return err
		}
		text, err := p.text(descriptionToString, description.result)
		if err != nil {
			return err
		}
		c.devices = append(c.devices, Device{ID: int(id.result), Kind: kind, Description: text})
	}
	return nil
}

// Platform returns the name of what the client runs on, such as "cpu", and its version, in the plugin's words.
func (c *Client) Platform() (name, version string) { return c.platform, c.version }

// Devices returns the devices of this process.
func (c *Client) Devices() []Device { return append([]Device(nil), c.devices...) }

// Compile compiles a module of StableHLO, as text whose function @main has ranked tensors of known sizes, for one
// device. If the context ends first, Compile returns its error, and the compiler goes on until it is done.
func (c *Client) Compile(ctx context.Context, mlir string) (*Program, error) {
	if c == nil || c.plugin == nil {
		return nil, errors.New("pjrt.Compile: this client was not made by NewClient")
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("pjrt.Compile: %w", context.Cause(ctx))
	}
	p, err := within(ctx, func() (*Program, error) { return c.compile(mlir) }, func(p *Program) { p.Close() })
	if err != nil {
		return nil, fmt.Errorf("pjrt.Compile: %w", err)
	}
	return p, nil
}

// ownLayout is an attribute by which a module sets the memory layout of arguments and results. XLA's plugin for a CPU
// returns such results in that layout, whatever layout is requested.
var ownLayout = regexp.MustCompile(`\bmhlo\.(layout_mode|xla_entry_computation_\w+_layouts?)\b`)

func (c *Client) compile(mlir string) (*Program, error) {
	c.life.RLock()
	defer c.life.RUnlock()
	if c.closed {
		return nil, errors.New("the client is closed")
	}
	if mlir == "" {
		return nil, errors.New("the module is empty")
	}
	if at := ownLayout.FindString(mlir); at != "" {
		return nil, fmt.Errorf(
			"the module has %s: arrays go in and come out with the last axis the fastest; leave the attribute out", at)
	}
	const format = "mlir"
	args := compileArgs{
		client: c.handle,
		program: &programText{header: header{size: sizeOf[programText]()},
			code: unsafe.StringData(mlir), codeSize: uintptr(len(mlir)),
			format: unsafe.StringData(format), formatSize: uintptr(len(format))},
		options: unsafe.SliceData(oneDevice), optionsSize: uintptr(len(oneDevice)),
	}
	if err := call(c.plugin, clientCompile, &args); err != nil {
		return nil, err
	}
	program := &Program{client: c, handle: args.executable}
	if err := program.describe(mlir); err != nil {
		c.plugin.free(loadedDestroy, program.handle)
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.programs[program] = true
	return program, nil
}

// Close frees the client and its programs, after what is being compiled and run. Closing again does nothing.
func (c *Client) Close() {
	if c == nil || c.plugin == nil {
		return
	}
	c.life.Lock()
	defer c.life.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	c.mu.Lock()
	programs := c.programs
	c.programs = nil
	c.mu.Unlock()
	for program := range programs {
		program.Close()
	}
	c.plugin.free(clientDestroy, c.handle)
}
