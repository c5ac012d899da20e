package syntax

import (
	"go/ast"
	"iter"
)

// Assigned returns the variables to which a statement or a declaration assigns values, with these values. Variables
// that share one value, such as the results of a function, are left out.
func Assigned(n ast.Node) iter.Seq2[*ast.Ident, ast.Expr] {
	return func(yield func(*ast.Ident, ast.Expr) bool) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if len(n.Lhs) != len(n.Rhs) {
					return
				}
				if name, isName := to.(*ast.Ident); isName && !yield(name, n.Rhs[i]) {
					return
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if len(n.Names) != len(n.Values) || !yield(name, n.Values[i]) {
					return
				}
			}
		}
	}
}
