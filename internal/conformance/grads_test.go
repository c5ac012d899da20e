package conformance

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// gradRow is a case of grads.jsonl: one operation on small inputs.
type gradRow struct {
	ID     string                     `json:"id"`
	Op     string                     `json:"op"`
	Attrs  map[string]json.RawMessage `json:"attrs"`
	Inputs []struct {
		array
		Name         string `json:"name"`
		RequiresGrad bool   `json:"requires_grad"`
	} `json:"inputs"`
	Output   array              `json:"output"`
	Upstream numbers            `json:"upstream"`
	Grads    map[string]numbers `json:"grads"`
	Second   *struct {
		V   map[string]numbers `json:"v"`
		HVP map[string]numbers `json:"hvp"`
	} `json:"second"`
}

// gradTolerance is the allowed distance from PyTorch's double-precision values.
var gradTolerance = tolerance{relative: 1e-9, absolute: 1e-12}

// Grads runs grads.jsonl: values, gradients, and gradients of gradients.
func Grads(dir string) (*Report, error) {
	rows, err := readRows[gradRow](filepath.Join(dir, "grads.jsonl"))
	if err != nil {
		return nil, err
	}
	return runAll("grads.jsonl", rows, func(row *gradRow) Outcome {
		return Outcome{ID: row.ID, Op: row.Op, Err: guarded(row.run)}
	}), nil
}

// gradCase is a case under construction.
type gradCase struct {
	row    *gradRow
	g      *graph.Graph
	inputs []*graph.Node
	names  []string
	wrt    []*graph.Node
	wrtOf  []string // the inputs' names
	shapes map[string][]int
	fed    feeds
}

func (row *gradRow) run() error {
	c := &gradCase{row: row, g: graph.New("case"), shapes: map[string][]int{}, fed: feeds{}}
	for _, in := range row.Inputs {
		n, err := c.input(in.Name, in.array)
		if err != nil {
			return err
		}
		c.inputs, c.names = append(c.inputs, n), append(c.names, in.Name)
		if in.RequiresGrad {
			c.wrt, c.wrtOf = append(c.wrt, n), append(c.wrtOf, in.Name)
		}
	}
	y, err := c.build()
	if err != nil {
		return err
	}
	dy, err := c.input("upstream", array{row.Output.Shape, y.DType().String(), row.Upstream})
	if err != nil {
		return err
	}
	var grads []*graph.Node
	if len(c.wrt) > 0 {
		grads = autodiff.Grad(y, c.wrt, autodiff.Upstream(dy), autodiff.ZeroForUnused())
	}
	outputs := append([]*graph.Node{y}, grads...)
	if row.Second != nil {
		second, err := c.second(grads)
		if err != nil {
			return err
		}
		outputs = append(outputs, second...)
	}
	if err := c.g.Err(); err != nil {
		return fmt.Errorf("%s: want it to be legal, got %w", row.describe(), err)
	}
	values, err := compute(c.g, outputs, c.fed)
	if err != nil {
		return fmt.Errorf("%s: %w", row.describe(), err)
	}
	if err := c.compare(values); err != nil {
		return fmt.Errorf("%s: %w", row.describe(), err)
	}
	return nil
}

func (row *gradRow) describe() string {
	text := row.Op
	for _, in := range row.Inputs {
		text += fmt.Sprintf(" %s%v", in.Name, in.Shape)
	}
	for name, v := range row.Attrs {
		text += fmt.Sprintf(" %s=%s", name, v)
	}
	return text
}

func (c *gradCase) input(name string, a array) (*graph.Node, error) {
	v, err := a.value()
	if err != nil {
		return nil, err
	}
	n := c.g.Input(name, v.DType, graph.MakeShape(v.Shape...)...)
	c.shapes[name], c.fed[n] = v.Shape, v
	return n, nil
}

// build makes the operation of the case, or the expression of attrs.expr.
func (c *gradCase) build() (*graph.Node, error) {
	if c.row.Op == "expr" {
		var text string
		if err := json.Unmarshal(c.row.Attrs["expr"], &text); err != nil {
			return nil, err
		}
		byName := map[string]*graph.Node{}
		for i, name := range c.names {
			byName[name] = c.inputs[i]
		}
		return expression(text, byName)
	}
	out, err := build(c.row.Op, c.names, c.inputs, c.row.Attrs)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// second returns the gradients of the sum over inputs of gradient times direction.
func (c *gradCase) second(grads []*graph.Node) ([]*graph.Node, error) {
	var sum *graph.Node
	for i, g := range grads {
		v, given := c.row.Second.V[c.wrtOf[i]]
		if !given {
			continue
		}
		direction, err := c.input("v_"+c.wrtOf[i], array{c.shapes[c.wrtOf[i]], g.DType().String(), v})
		if err != nil {
			return nil, err
		}
		part := ops.Sum(ops.Mul(g, direction))
		if sum == nil {
			sum = part
		} else {
			sum = ops.Add(sum, part)
		}
	}
	return autodiff.Grad(sum, c.wrt, autodiff.ZeroForUnused()), nil
}

// compare holds the values of the output, the gradients and the second gradients, in this
// order, against what PyTorch gave.
func (c *gradCase) compare(values []computed) error {
	if err := values[0].want("the value", c.row.Output.Shape, c.row.Output.Data, gradTolerance); err != nil {
		return err
	}
	values = values[1:]
	for i, name := range c.wrtOf {
		if want, given := c.row.Grads[name]; given {
			if err := values[i].want("the gradient of "+name, c.shapes[name], want, gradTolerance); err != nil {
				return err
			}
		}
		if c.row.Second == nil {
			continue
		}
		if want, given := c.row.Second.HVP[name]; given {
			if err := values[len(c.wrt)+i].want(
				"the second gradient of "+name, c.shapes[name], want, gradTolerance); err != nil {
				return err
			}
		}
	}
	return nil
}
