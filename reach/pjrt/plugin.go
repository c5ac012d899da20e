package pjrt

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Plugin is a loaded library. It stays in the process: libraries of this size start threads, and cannot be unloaded.
type Plugin struct {
	functions    []uintptr
	major, minor int
}

// Error is an error of a plugin.
type Error struct {
	Code    Code
	Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("the plugin of PJRT says: %s: %s", e.Code, e.Message)
}

// Code is the kind of an [Error]: the numbers of PJRT_Error_Code, which are those of gRPC.
type Code int

var codes = [...]string{"ok", "cancelled", "unknown", "invalid argument", "deadline exceeded", "not found",
	"already exists",
	"permission denied", "resource exhausted", "failed precondition", "aborted", "out of range", "unimplemented",
	"internal", "unavailable", "data loss", "unauthenticated"}

func (c Code) String() string {
	if c < 0 || int(c) >= len(codes) {
		return fmt.Sprintf("code %d", int(c))
	}
	return codes[c]
}

// loaded has the plugins of this process by path: one may be initialised only once.
var loaded = struct {
	sync.Mutex
	plugins map[string]*Plugin
}{plugins: map[string]*Plugin{}}

// Load loads a plugin from the path of its library, such as xla_cpu_pjrt.so. Loading one again gives the same plugin.
// It is an error if the file is no library, has no function GetPjrtApi, or is of a version of the interface whose
// layouts are not known here: another major version than 0, or one before 0.57.
func Load(path string) (*Plugin, error) {
	// A whole path: the system's loader would search for a bare name in its own folders.
	file, err := filepath.Abs(path)
	if err == nil {
		file, err = filepath.EvalSymlinks(file)
	}
	if err != nil {
		return nil, fmt.Errorf("pjrt.Load(%q): give the path of a plugin's library: %w", path, err)
	}
	loaded.Lock()
	defer loaded.Unlock()
	if p := loaded.plugins[file]; p != nil {
		return p, nil
	}
	p, err := load(file)
	if err != nil {
		return nil, fmt.Errorf("pjrt.Load(%q): %w", path, err)
	}
	loaded.plugins[file] = p
	return p, nil
}

func load(file string) (*Plugin, error) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		return nil, errors.New("plugins of PJRT are for machines of 64 bits")
	}
	get, err := symbol(file, "GetPjrtApi")
	if err != nil {
		return nil, fmt.Errorf("this is no plugin of PJRT that can be loaded here: %w", err)
	}
	address, _, _ := purego.SyscallN(get)
	p, err := newPlugin(*(**apiTable)(unsafe.Pointer(&address)))
	if err != nil {
		return nil, err
	}
	return p, call(p, pluginInitialize, &header{})
}

// newPlugin checks the version and the functions of a table, before anything of it is called.
func newPlugin(table *apiTable) (*Plugin, error) {
	if table == nil {
		return nil, errors.New("GetPjrtApi of the plugin gives no table of functions")
	}
	p := &Plugin{major: int(table.version.major), minor: int(table.version.minor)}
	switch {
	case p.major != majorVersion || p.minor < minMinor:
		return nil, fmt.Errorf(
			"the plugin is of version %d.%d of PJRT's interface; known are versions %d.%d and later ones of %d: take another plugin",
			p.major, p.minor, majorVersion, minMinor, majorVersion)
	case table.size < unsafe.Sizeof(apiTable{}):
		return nil, fmt.Errorf("the plugin's table of functions has %d bytes, and less than the %d of version %d.%d",
			table.size, unsafe.Sizeof(apiTable{}), majorVersion, minMinor)
	}
	p.functions = append(p.functions, table.functions[:]...)
	for _, f := range neededFunctions {
		if p.functions[f] == 0 {
			return nil, fmt.Errorf("the plugin lacks function %d of PJRT's interface, which is needed", f)
		}
	}
	return p, nil
}

// Version returns the version of PJRT's C interface that the plugin was built with, such as 0 and 81.
func (p *Plugin) Version() (major, minor int) { return p.major, p.minor }
