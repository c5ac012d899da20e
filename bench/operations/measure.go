package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/exec"
)

//go:embed side_torch.py
var side []byte

// runner measures tasks.
type runner struct {
	python  *sidebyside.Python
	rule    sidebyside.Rule
	threads int
}

// row is the measurement of a task.
type row struct {
	name         string
	ours, theirs float64 // seconds of a call
	first        float64 // seconds that the first result takes beyond a call
}

func (r row) ratio() float64 { return r.theirs / r.ours }

// enough is the share of elements that are not finite up to which other numbers are not tried.
const enough = 0.1

// measure finds numbers that both sides accept, compares results, and times the sides. note says what differs.
func (r *runner) measure(t *task) (m row, note string, err error) {
	chosen, note, err := r.choose(t)
	if err != nil {
		return row{}, "", err
	}
	timings, err := r.rule.ByTurns(sidebyside.Func(chosen.step), r.python)
	if err != nil {
		return row{}, "", err
	}
	first := chosen.first - time.Duration(timings[0].Min*float64(time.Second))
	return row{t.name, timings[0].Min, timings[1].Min, first.Seconds()}, note, nil
}

// choose compiles a task, with the first numbers for which most results are finite, or the last that both sides accept.
func (r *runner) choose(t *task) (chosen *program, note string, err error) {
	kinds := []kind{normal, share, above}
	if t.kinds != nil {
		kinds = kinds[:1]
	}
	for _, tight := range []bool{false, true} {
		for _, k := range kinds {
			p, failed := t.compile(r.threads, k, tight)
			if failed != nil {
				err = failed
				continue
			}
			values, failed := p.values()
			if failed == nil {
				note, failed = r.compare(t, p, values)
			}
			if failed != nil {
				err = failed
				continue
			}
			if chosen = p; notFinite(values) <= enough {
				return chosen, note, nil
			}
		}
		if chosen != nil {
			break
		}
	}
	if chosen == nil {
		return nil, "", err
	}
	values, err := chosen.values()
	if err != nil {
		return nil, "", err
	}
	note, err = r.compare(t, chosen, values) // once more: Python may hold numbers that failed
	return chosen, note, err
}

// tensor describes an operand to Python.
type tensor struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	Wrt   bool   `json:"wrt"`
}

// request describes a task to Python, which makes as many calls as were made before.
type request struct {
	Call    string         `json:"call"`
	Setup   string         `json:"setup"`
	Tensors []tensor       `json:"tensors"`
	Sizes   map[string]int `json:"sizes"`
	Before  int            `json:"before"`
}

// compare prepares a task in Python, and says how results differ.
func (r *runner) compare(t *task, p *program, values []exec.Array) (string, error) {
	asked := request{Call: t.call, Setup: t.setup, Sizes: t.sizes, Before: p.calls - 1}
	var payload [][]byte
	for i, x := range p.inputs {
		asked.Tensors = append(asked.Tensors,
			tensor{x.Name(), x.DType().String(), append([]int{}, p.given[i].Shape...), slices.Contains(p.wrt, x)})
		payload = append(payload, bytesOf(p.given[i].Data))
	}
	var answer struct {
		Shapes [][]int
		Cannot string
	}
	if err := r.python.Ask(map[string]request{"prepare": asked}, &answer, payload...); err != nil {
		return "", err
	}
	if answer.Cannot != "" {
		return "", errors.New(answer.Cannot)
	}
	var wrong []string
	for i, shape := range answer.Shapes {
		want, err := r.read(shape)
		if err != nil {
			return "", err
		}
		if i < len(values) {
			if d := differs(values[i], want, t.drawn); d != "" {
				wrong = append(wrong, fmt.Sprintf("result %d: %s", i, d))
			}
		}
	}
	return strings.Join(wrong, "; "), nil
}

// read reads a result that Python sends.
func (r *runner) read(shape []int) (result, error) {
	count := 1
	for _, d := range shape {
		count *= d
	}
	buffer, values := make([]byte, 8*count), make([]float64, count)
	if err := r.python.Read(buffer); err != nil {
		return result{}, err
	}
	_, err := binary.Decode(buffer, binary.LittleEndian, values)
	return result{shape, values}, err
}

// profile prints the kernels of a task.
func (r *runner) profile(t *task) error {
	p, err := t.compile(r.threads, share, t.kinds == nil)
	if err != nil {
		return err
	}
	profile, err := p.session.Profile(context.Background(), p.feed, 20)
	if err == nil {
		fmt.Printf("%s\n%s\n", t.name, profile)
	}
	return err
}
