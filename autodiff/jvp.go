package autodiff

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// JVP returns directional derivatives: how each y changes when the values wrt change along the tangents, which have the
// same shapes and dtypes as wrt. Each result is the product of the Jacobian and the tangents, has y's shape, and costs
// about twice as much as y, however many elements wrt has. It is zeros for a y that does not depend on wrt.
//
// It is forward mode, like jax.jvp and torch.func.jvp, implemented as a gradient of a gradient: the result of [Grad] is
// linear in the upstream gradient, and its gradient with respect to that is the JVP (J. Townsend, "A new trick for
// calculating Jacobian vector products", 2017). Nothing of the reverse pass remains to be computed. Mistakes are
// recorded in the graph.
func JVP(ys, wrt, tangents []*graph.Node) []*graph.Node {
	results := make([]*graph.Node, len(ys))
	var wrong *graph.Node // what stands for all results where the tangents are wrong
	for i, y := range ys {
		if results[i] = checkDerivative(y, wrt); results[i] != nil {
			continue
		}
		if wrong == nil {
			wrong = checkTangents(y, wrt, tangents)
		}
		if results[i] = wrong; wrong == nil {
			results[i] = pushForward(y, wrt, tangents)
		}
	}
	return results
}

// checkTangents refuses tangents that are not like their values; nil where there is nothing to refuse.
func checkTangents(y *graph.Node, wrt, tangents []*graph.Node) *graph.Node {
	if len(tangents) != len(wrt) {
		return refuse(
			problem{Summary: fmt.Sprintf("got %d tangents for %d values: each value needs one", len(tangents),
				len(wrt))}, y)
	}
	for i, v := range tangents {
		x := wrt[i]
		switch {
		case v == nil:
			return refuse(problem{Summary: fmt.Sprintf("tangent %d is nil", i)}, y)
		case !v.Judged() || isRefused(v):
			return refuse(problem{}, v)
		case v.Graph() == nil:
			return refuse(
				problem{Summary: fmt.Sprintf("the tangent of %s is the number %s, but must be a tensor", x.Called(),
					v.Called()),
					Help: fmt.Sprintf("use a value of its shape: ops.FullLike(%s, %s)", x.Called(), v.Called())}, y)
		case v.Graph() != y.Graph():
			return refuse(problem{Summary: fmt.Sprintf("the tangent of %s belongs to another graph", x.Called())}, y)
		case v.DType() != x.DType().Gradient() || v.Rank() != x.Rank() || hasOtherNumbers(v.Shape(), x.Shape()):
			return refuse(
				problem{Summary: fmt.Sprintf("the tangent of %s is %s of shape %s, but the value is %s of shape %s",
					x.Called(), v.DType(), v.Shape(), x.DType(), x.Shape())}, y, x, v)
		}
	}
	return nil
}

// hasOtherNumbers reports whether shapes of one rank have sizes that are other numbers. Whether other sizes can be the
// same is up to the graph's policy.
func hasOtherNumbers(s, t graph.Shape) bool {
	for axis, d := range s {
		if d.IsConst() && t[axis].IsConst() && d != t[axis] {
			return true
		}
	}
	return false
}

// checkDerivative refuses what has no derivative, of whatever shape.
func checkDerivative(y *graph.Node, wrt []*graph.Node) *graph.Node {
	return checkAsked(y, wrt, settings{anyShape: true})
}

// pushForward is the JVP of one value.
func pushForward(y *graph.Node, wrt, tangents []*graph.Node) *graph.Node {
	arrives := ops.Cast(ops.ZerosLike(y), y.DType().Gradient()) // any value: the result does not depend on it
	var total *graph.Node
	for i, back := range Grad(y, wrt, Upstream(arrives), ZeroForUnused()) {
		if !back.Judged() {
			return back
		}
		part := ops.Sum(ops.Mul(back, arrivingAs(wrt[i], tangents[i])))
		if total == nil {
			total = part
		} else {
			total = ops.Add(total, ops.Cast(part, total.DType()))
		}
	}
	return Grad(total, []*graph.Node{arrives}, ZeroForUnused())[0]
}

// arrivingAs is a tangent in the shape of its value.
func arrivingAs(x, v *graph.Node) *graph.Node { return settings{upstream: v}.arriving(x) }

// Jacobian returns the derivatives of every element of y with respect to every element of each of the values wrt: y's
// axes, followed by those of the value. All rows are computed at once, or all columns if these are known to be fewer,
// by [ops.Vmap], like jax.jacrev and jax.jacfwd. Derivatives with respect to values on which y does not depend are
// zeros. Mistakes are recorded in the graph.
func Jacobian(y *graph.Node, wrt []*graph.Node) []*graph.Node {
	jacobians := make([]*graph.Node, len(wrt))
	if bad := checkDerivative(y, wrt); bad != nil {
		for i := range jacobians {
			jacobians[i] = bad
		}
		return jacobians
	}
	var byRow []*graph.Node
	for i, x := range wrt {
		if rows, columns := y.Shape().NumElements(), x.Shape().NumElements(); y.Rank() > 0 && rows.IsConst() &&
			columns.IsConst() && columns < rows {
			jacobians[i] = byColumns(y, x)
		} else {
			byRow = append(byRow, x)
		}
	}
	if len(byRow) == 0 {
		return jacobians
	}
	rows := byRows(y, byRow)
	for i := range jacobians {
		if jacobians[i] == nil {
			jacobians[i], rows = rows[0], rows[1:]
		}
	}
	return jacobians
}

// basis are all values of x's shape that are 1 in one place and 0 elsewhere, along a first axis.
func basis(x *graph.Node) *graph.Node {
	n := x.Shape().NumElements()
	return ops.Reshape(ops.Eye(x.Graph(), x.DType().Gradient(), n, n), slices.Concat(graph.Shape{n}, x.Shape())...)
}

// byRows goes back from each element of y.
func byRows(y *graph.Node, wrt []*graph.Node) []*graph.Node {
	if y.Rank() == 0 {
		return Grad(y, wrt, ZeroForUnused())
	}
	rows := ops.Vmap([]*graph.Node{basis(y)}, func(dy []*graph.Node) []*graph.Node {
		return Grad(y, wrt, Upstream(dy[0]), ZeroForUnused())
	})
	for i, x := range wrt {
		if rows[i].Judged() {
			rows[i] = ops.Reshape(rows[i], slices.Concat(y.Shape(), x.Shape())...)
		}
	}
	return rows
}

// byColumns goes forward from each element of x.
func byColumns(y, x *graph.Node) *graph.Node {
	columns := ops.Vmap([]*graph.Node{basis(x)}, func(v []*graph.Node) []*graph.Node {
		return JVP([]*graph.Node{y}, []*graph.Node{x}, v)
	})[0]
	if !columns.Judged() {
		return columns
	}
	return ops.Reshape(ops.MoveAxis(columns, 0, -1), slices.Concat(y.Shape(), x.Shape())...)
}

// Hessian returns the second derivatives of the scalar y: at [i][j] those with respect to the elements of wrt[i] and
// wrt[j], with the axes of the first followed by those of the second. It is the [Jacobian] of the gradient. A
// Hessian-vector product needs no Hessian: it is the [JVP] of the gradient, or its gradient with [Upstream]. Mistakes
// are recorded in the graph.
func Hessian(y *graph.Node, wrt []*graph.Node) [][]*graph.Node {
	blocks := make([][]*graph.Node, len(wrt))
	for i, dx := range Grad(y, wrt, ZeroForUnused()) {
		blocks[i] = Jacobian(dx, wrt)
	}
	return blocks
}
