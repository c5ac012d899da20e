package syntax

import "go/ast"

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
