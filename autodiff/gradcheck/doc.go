// Package gradcheck compares gradients with finite differences, for tests of user-defined operations and custom
// gradients.
//
//	func TestMyOperation(t *testing.T) {
//		g := graph.New("my")
//		x := g.Input("x", graph.Float64, 3)
//		feed := exec.Feed{x: exec.Array{Shape: []int{3}, Data: []float64{-0.5, 0.1, 2}}}
//		if err := gradcheck.Check(t.Context(), MyOperation(x), feed, []*graph.Node{x}, gradcheck.SecondOrder()); err != nil {
//			t.Error(err)
//		}
//	}
//
// check.go makes the comparison, and error.go describes differences.
package gradcheck
