package sidebyside

import (
	"context"
	"fmt"
	"math"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/hugepage"
)

// Task is a computation that both sides make.
type Task struct {
	Name  string
	DType graph.DType // Float32 or Float64
	Flops float64     // floating-point operations of a call
	// Request describes the task to the Python program.
	Request Request
	// Shapes are those of the inputs, from which Build writes the result down.
	Shapes [][]int
	// DTypes are those of the inputs, if not DType, by whose arithmetic peak the task is measured all the same.
	DTypes []graph.DType
	// IsWeight says which inputs are parameters, if any: the other side may prepare them before it is timed, too.
	IsWeight []bool
	Build    func(in []*graph.Node) *graph.Node
}

// Request is the name of a kind of tasks, with the arguments that peer.py takes for it.
type Request map[string]any

// program is a task compiled by Broadloom.
type program struct {
	session *exec.Session
	feed    exec.Feed
	result  *graph.Node
}

// compile makes a task ready on a number of threads.
func (t *Task) compile(threads int) (*program, error) {
	g := graph.New(t.Name)
	var in []*graph.Node
	feed, weights := exec.Feed{}, exec.Feed{}
	for i, shape := range t.Shapes {
		dtype := t.DType
		if t.DTypes != nil {
			dtype = t.DTypes[i]
		}
		name, value := fmt.Sprintf("x%d", i), exec.Array{Shape: shape, Data: data(dtype, shape)}
		if t.IsWeight != nil && t.IsWeight[i] {
			n := g.Param(name, dtype, graph.MakeShape(shape...)...)
			weights[n] = value
			in = append(in, n)
			continue
		}
		n := g.Input(name, dtype, graph.MakeShape(shape...)...)
		feed[n] = value
		in = append(in, n)
	}
	result := t.Build(in)
	compiled, err := exec.Compile(g, exec.Outputs(result))
	if err != nil {
		return nil, err
	}
	return &program{compiled.NewSession(exec.Threads(threads), exec.BorrowParams(weights)), feed, result}, nil
}

// step makes one call.
func (p *program) step() error {
	_, err := p.session.Run(context.Background(), p.feed)
	return err
}

// check is the mean magnitude of the result.
func (p *program) check() (float64, error) {
	out, err := p.session.Run(context.Background(), p.feed)
	if err != nil {
		return 0, err
	}
	result, err := out.Array(p.result)
	if err != nil {
		return 0, err
	}
	switch values := result.Data.(type) {
	case []float64:
		return meanMagnitude(values), nil
	case []int32:
		return meanMagnitude(values), nil
	}
	return meanMagnitude(result.Data.([]float32)), nil
}

// number is an element that tasks compute with.
type number interface {
	float32 | float64 | int8 | uint8 | int32
}

func meanMagnitude[T number](values []T) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Abs(float64(v))
	}
	return sum / float64(len(values))
}

// data makes the elements of an input.
func data(dtype graph.DType, shape []int) any {
	count := 1
	for _, d := range shape {
		count *= d
	}
	switch dtype {
	case graph.Float64:
		return numbers[float64](count)
	case graph.Int8:
		return numbers[int8](count)
	case graph.Uint8:
		return numbers[uint8](count)
	}
	return numbers[float32](count)
}

// numbers returns whole numbers from -3 to 3 without a pattern, the same as in peer.py, and in
// large pages, which NumPy asks for as well. Those below 0 are 253 to 255 of uint8.
func numbers[T number](count int) []T {
	list := hugepage.Make[T](count)
	for i := range list {
		list[i] = T(uint32(i)*2654435761>>16%7) - 3
	}
	return list
}
