package exec_test

import (
	"context"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// What is fed may lie elsewhere in every run, change where it lies, and be a number.
func TestRunsFollowWhatIsFed(t *testing.T) {
	g := graph.New("follow")
	n := g.Dim("n")
	x, scale := g.Input("x", graph.Float32, n), g.Input("scale", graph.Float32)
	scaled := ops.Mul(x, scale)
	total := ops.Sum(scaled)
	prog, err := exec.Compile(g, exec.Outputs(scaled, total))
	require.NoError(t, err)
	s := prog.NewSession()
	require.Same(t, prog, s.Program())
	a, b, longer := []float32{1, 2, 3}, []float32{10, 20, 30}, make([]float32, 1000)
	for i := range longer {
		longer[i] = 1
	}
	check := func(data []float32, factor any, want float64) {
		t.Helper()
		r, err := s.Run(context.Background(),
			exec.Feed{x: exec.Array{Shape: []int{len(data)}, Data: data}, scale: factor})
		require.NoError(t, err)
		require.Equal(t, want, scalarOf(t, r, total))
		require.Len(t, arrayOf(t, r, scaled).Data, len(data))
	}
	check(a, 1, 6)
	check(b, 1, 60)
	check(b, 2, 120)
	check(longer, 2, 2000) // the arena moves
	check(a, 2, 12)
	a[0] = 5
	check(a, 2, 20)
	check(a, exec.Array{Data: []float32{3}}, 30)
}

// The layouts of views are worked out once for a graph that several goroutines compile.
func TestOneGraphIsCompiledByManyAtOnce(t *testing.T) {
	g := graph.New("views")
	x := g.Input("x", graph.Float32, 4, 6)
	y := ops.Transpose(ops.Reshape(ops.Slice(x, 1, 0, 6, 2), 2, 6), 0, 1)
	loss := ops.Sum(ops.Square(y))
	outputs := append(autodiff.Grad(loss, []*graph.Node{x}), loss)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			prog, err := exec.Compile(g, exec.Outputs(outputs...))
			if err != nil {
				t.Error(err)
				return
			}
			data := make([]float32, 24)
			for i := range data {
				data[i] = 1
			}
			r, err := prog.NewSession().Run(context.Background(),
				exec.Feed{x: exec.Array{Shape: []int{4, 6}, Data: data}})
			if err != nil || scalarOf(t, r, loss) != 12 {
				t.Errorf("the sum of 12 squares of 1: %v, %v", r, err)
			}
		})
	}
	group.Wait()
}

// What users hold is not made of generic types of this module: their packages would compile all methods of those once
// more, which took ten times as long as all else in a small package.
func TestUsersCompileNoGenericMethods(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var visit func(t reflect.Type, path string)
	visit = func(of reflect.Type, path string) {
		if seen[of] {
			return
		}
		seen[of] = true
		if strings.HasPrefix(of.PkgPath(), "github.com/broadloom/") && strings.Contains(of.Name(), "[") {
			t.Errorf("%s is a %s", path, of)
		}
		switch of.Kind() {
		case reflect.Struct:
			for f := range of.Fields() {
				visit(f.Type, path+"."+f.Name)
			}
		case reflect.Map:
			visit(of.Key(), path+" key")
			visit(of.Elem(), path+" element")
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			visit(of.Elem(), path)
		}
	}
	visit(reflect.TypeFor[exec.Program](), "Program")
	visit(reflect.TypeFor[exec.Session](), "Session")
	visit(reflect.TypeFor[exec.Results](), "Results")
	require.Greater(t, len(seen), 100)
}
