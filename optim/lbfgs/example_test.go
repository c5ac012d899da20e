package lbfgs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim/lbfgs"
)

// The valley of Rosenbrock, (1-x)² + 100·(y-x²)², has its lowest place at 1, 1.
func ExampleMinimizer_Step() {
	g := graph.New("valley")
	w := g.Param("w", graph.Float64, 2)
	x, y := ops.Select(w, 0, 0), ops.Select(w, 0, 1)
	loss := ops.Add(ops.Square(ops.Sub(graph.Num(1), x)),
		ops.Mul(graph.Num(100), ops.Square(ops.Sub(y, ops.Square(x)))))
	params := []*graph.Node{w}
	grads := autodiff.Grad(loss, params)
	prog, err := exec.Compile(g, exec.Outputs(loss, grads[0]))
	if err != nil {
		log.Fatal(err)
	}
	session := prog.NewSession()
	m, err := lbfgs.New(session, loss, params, grads)
	if err != nil {
		log.Fatal(err)
	}
	for range 5 {
		if _, err := m.Step(context.Background(), nil); err != nil {
			log.Fatal(err)
		}
	}
	found, err := session.Param(w)
	fmt.Printf("%.4f %v\n", found.Data, err)
	// Output: [1.0000 1.0000] <nil>
}
