package onnx

import (
	"errors"
	"fmt"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// Load sets the parameters of a session that come from the model to the values in the file. Others, such as those of
// layers that were added, do not change.
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

// Values returns the values of a program's parameters that come from the model. With [exec.BorrowParams], sessions
// read them in place, so that they are in memory once.
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
