package syntax

import (
	"go/ast"
	"path"
	"regexp"
	"strconv"
)

// CalledName returns the name of the function that an expression calls: Add of ops.Add, Constant of
// graph.Constant[float32]. It is nil if the function has none.
func CalledName(fun ast.Expr) *ast.Ident {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	case *ast.IndexExpr:
		return CalledName(fun.X)
	case *ast.IndexListExpr:
		return CalledName(fun.X)
	}
	return nil
}

// MayCallVariable reports whether a call may be of a function that a variable or a field holds, given the names of
// packages: not of a package's function, nor of one whose exported name stands alone.
func MayCallVariable(call *ast.CallExpr, packages map[string]bool) bool {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return !fun.IsExported()
	case *ast.SelectorExpr:
		of, isName := fun.X.(*ast.Ident)
		return !isName || !packages[of.Name]
	}
	return true
}

// Imported returns the names of the packages that a file imports.
func Imported(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, spec := range file.Imports {
		name, _ := Import(spec)
		names[name] = true
	}
	return names
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// Import returns the path of an imported package, and its name: if the import states none, the last word of the path.
func Import(spec *ast.ImportSpec) (name, of string) {
	of, _ = strconv.Unquote(spec.Path.Value)
	switch {
	case spec.Name != nil:
		return spec.Name.Name, of
	case majorVersion.MatchString(path.Base(of)):
		return path.Base(path.Dir(of)), of
	}
	return path.Base(of), of
}
