package graph

import (
	"reflect"
	"runtime"
	"strings"
)

// IsUsers reports whether a function of the operation is defined outside of the library: such operations are checked
// more closely. The library's tests, commands and examples count as users.
func (op *Op) IsUsers() bool {
	for _, f := range []any{op.Infer, op.Promote, op.Grad, op.Emit, op.Identity, op.Axes, op.View, op.Assemble,
		op.Aligned, op.Function, op.Core, op.Expand, op.Faster} {
		if v := reflect.ValueOf(f); !v.IsNil() && !isOurs(runtime.FuncForPC(v.Pointer())) {
			return true
		}
	}
	return false
}

// isOurs reports whether a function is the library's. One that the compiler has written into a user's has the user's
// name, and the library's file.
func isOurs(f *runtime.Func) bool {
	if f == nil {
		return false
	}
	file, _ := f.FileLine(f.Entry())
	if strings.HasSuffix(file, "_test.go") {
		return false
	}
	name, named := strings.CutPrefix(f.Name(), modulePath)
	path, placed := strings.CutPrefix(file, moduleFolder)
	for _, users := range []string{"examples/", "cmd/", "bench/"} {
		if strings.HasPrefix(name, users) || strings.HasPrefix(path, users) {
			return false
		}
	}
	return named || placed
}
