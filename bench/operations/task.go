package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

type node = *graph.Node

// task is an operation that both sides carry out.
type task struct {
	name  string
	call  string // in Python, on operands by their names
	setup string // statements of Python before the first call
	// build returns results, or updates, of operands that are inputs, or parameters, of their graph.
	build func() (results, updates []node, err error)
	sizes map[string]int         // of names of dims
	kinds func(name string) kind // of an operand; nil: whichever both sides take
	bound func(name string) int  // of the integers of an operand
	grad  bool                   // also the gradients for all operands of floating-point numbers
	drawn bool                   // random numbers, of which means and deviations are compared
}

// program is a task compiled by Broadloom.
type program struct {
	session *exec.Session
	feed    exec.Feed
	inputs  []node // and the parameter x, if there is one
	given   []exec.Array
	wrt     []node
	results []node
	param   node          // x, whose value is the last result
	calls   int           // that were made
	first   time.Duration // from nothing to the first result
}

// longest is the time after which a call is given up.
const longest = 10 * time.Second

// compile compiles a task for a number of threads, and makes the first call. Unless the task says otherwise, operands
// have numbers of a kind; tight bounds integers by 3.
func (t *task) compile(threads int, k kind, tight bool) (*program, error) {
	start := time.Now()
	results, updates, err := t.build()
	if err != nil {
		return nil, err
	}
	g := append(slices.Clone(results), updates...)[0].Graph()
	p := &program{results: results, feed: exec.Feed{}}
	if t.grad {
		p.differentiate()
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	prog, err := exec.Compile(g, exec.Outputs(p.results...), exec.Updates(updates...), exec.OnWarning(nil))
	if err != nil {
		return nil, err
	}
	options := []exec.SessionOption{exec.Threads(threads), exec.Seed(1)}
	for _, name := range g.DimNames() {
		options = append(options, exec.Size(name, t.sizes[name]))
	}
	p.session = prog.NewSession(options...)
	compiled := time.Since(start)
	if err := p.give(g, t, k, tight); err != nil {
		return nil, err
	}
	start = time.Now()
	_, err = p.run()
	p.first = compiled + time.Since(start)
	return p, err
}

// differentiate adds the gradients of the first result.
func (p *program) differentiate() {
	y := p.results[0]
	for _, x := range y.Graph().Inputs() {
		if x.DType().IsFloat() {
			p.wrt = append(p.wrt, x)
		}
	}
	upstream := y.Graph().Input("upstream", y.DType(), y.Shape()...)
	p.results = append([]node{y}, autodiff.Grad(y, p.wrt, autodiff.Upstream(upstream), autodiff.ZeroForUnused())...)
}

// give makes the values of operands.
func (p *program) give(g *graph.Graph, t *task, k kind, tight bool) error {
	random := rand.New(rand.NewPCG(1, 2))
	for _, x := range append(slices.Clone(g.Inputs()), g.Params()...) {
		if x.IsParam() && x.Name() != "x" {
			continue // what an optimiser remembers
		}
		shape, count := make([]int, x.Rank()), 1
		for i, d := range x.Shape() {
			v, err := d.Eval(func(name string) (int64, bool) { return int64(t.sizes[name]), true })
			if err != nil {
				return err
			}
			shape[i] = int(v)
			count *= shape[i]
		}
		own, bound := k, t.bound(x.Name())
		if t.kinds != nil {
			own = t.kinds(x.Name())
		}
		if fit, is := fitting[x.Name()]; is {
			own = fit
		}
		if tight {
			bound = min(bound, 3)
		}
		v := exec.Array{Shape: shape, Data: fill(random, x.DType(), count, own, bound)}
		p.inputs, p.given = append(p.inputs, x), append(p.given, v)
		if !x.IsParam() {
			p.feed[x] = v
			continue
		}
		p.param = x
		if err := p.session.SetParam(x, v); err != nil {
			return err
		}
	}
	return nil
}

// fitting are the kinds of numbers of operands of some names.
var fitting = map[string]kind{"upstream": normal, "samples": share, "edges": rising, "boundaries": rising,
	"sorted": rising}

// run makes one call.
func (p *program) run() (*exec.Results, error) {
	p.calls++
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	return p.session.Run(ctx, p.feed)
}

func (p *program) step() error {
	_, err := p.run()
	return err
}

// values are the results of a call, followed by the parameter.
func (p *program) values() (list []exec.Array, err error) {
	r, err := p.run()
	if err != nil {
		return nil, err
	}
	for _, n := range p.results {
		a, err := r.Array(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Called(), err)
		}
		list = append(list, a)
	}
	if p.param != nil {
		a, err := p.session.Param(p.param)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}
