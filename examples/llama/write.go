package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/weights"
)

// writer continues texts.
type writer struct {
	model      *model
	vocabulary *vocabulary
	session    *exec.Session
}

// newWriter compiles a model and loads its parameters, which the session reads where they are loaded.
func newWriter(m *model, v *vocabulary, file *weights.File, seed uint64) (*writer, error) {
	program, err := exec.Compile(m.graph, exec.Outputs(m.chosen, m.logits), exec.Updates(m.updates...))
	if err != nil {
		return nil, err
	}
	learned := slices.DeleteFunc(program.Params(), (*graph.Node).IsState) // the caches are state
	values, _, err := weights.Values(program, file, weights.Only(learned...), weights.Rename(fileName),
		weights.Parts(fileParts))
	if err != nil {
		return nil, err
	}
	return &writer{m, v, program.NewSession(exec.BorrowParams(values), exec.Seed(seed))}, nil
}

// write continues a text by at most so many tokens, and returns it with their number. It ends where the model ends the
// text, or its caches are full.
func (w *writer) write(ctx context.Context, prompt string, most int, temperature float64) (string, int, error) {
	if !(temperature >= 0) {
		return "", 0, fmt.Errorf("the temperature must be at least 0, and is %g", temperature)
	}
	text := append([]int64{w.vocabulary.begin}, w.vocabulary.encode(prompt)...)
	if len(text) > w.model.longest {
		return "", 0, fmt.Errorf("the prompt has %d tokens, and the model looks back at most %d", len(text),
			w.model.longest)
	}
	for _, c := range w.model.caches { // of the last text
		if err := w.session.SetParam(c.Length, 0); err != nil {
			return "", 0, err
		}
	}
	fresh, written := text, 0
	for written < most && len(text) <= w.model.longest {
		next, err := w.next(ctx, fresh, temperature)
		if err != nil {
			return "", 0, err
		}
		if next == w.vocabulary.end {
			break
		}
		text, written = append(text, next), written+1
		fresh = text[len(text)-1:]
	}
	return w.vocabulary.decode(text), written, nil
}

// next reads tokens and chooses one that follows them.
func (w *writer) next(ctx context.Context, fresh []int64, temperature float64) (int64, error) {
	r, err := w.session.Run(ctx, exec.Feed{w.model.text: fresh, w.model.temperature: float32(temperature)})
	if err != nil {
		return 0, err
	}
	chosen, err := exec.Values[int64](r, w.model.chosen)
	if err != nil {
		return 0, err
	}
	return chosen[0], nil
}
