package onnx

import (
	"errors"
	"fmt"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// Load sets the parameters of a session that come from the model to the values of the file. Others, such as those of a layer that was
// put behind it, stay as they are.
func (b *Built) Load(s *exec.Session) error {
	if s == nil {
		return errors.New("onnx: the session is nil")
	}
	held, err := s.Params()
	if err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	return b.each(held, s.SetParam)
}

// Values are the values of those parameters of a program that come from the model: [exec.BorrowParams] makes sessions that read them
// where they lie, so that they are in memory once.
func (b *Built) Values(p *exec.Program) (exec.Feed, error) {
	if p == nil {
		return nil, errors.New("onnx: the program is nil")
	}
	values := exec.Feed{}
	err := b.each(p.Params(), func(n *graph.Node, v any) error { values[n] = v; return nil })
	return values, err
}

// each hands over the values of the model's parameters among others.
func (b *Built) each(params []*graph.Node, set func(n *graph.Node, value any) error) error {
	isHeld := map[*graph.Node]bool{}
	for _, n := range params {
		isHeld[n] = true
	}
	for _, p := range b.all().Params {
		if !isHeld[p.Node] {
			continue
		}
		if err := b.model.isOpen(); err != nil {
			return err
		}
		a, err := p.Elements()
		if err == nil {
			err = set(p.Node, a)
		}
		if err != nil {
			return fmt.Errorf("onnx: %w", err)
		}
	}
	return nil
}
