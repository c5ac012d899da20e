package main

import (
	"context"
	"fmt"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/weights"
)

// writer continues texts.
type writer struct {
	model         *model
	vocabulary    *vocabulary
	prompt, token *exec.Session // for a text and for one token
	bytes         int           // of the parameters
}

// newWriter compiles a model and loads its parameters, which the sessions read where they are loaded.
func newWriter(ctx context.Context, m *model, v *vocabulary, file *weights.File, seed uint64) (*writer, error) {
	prompt, err := m.prompt.compile(ctx, m.graph)
	if err != nil {
		return nil, err
	}
	token, err := m.token.compile(ctx, m.graph)
	if err != nil {
		return nil, err
	}
	opts := []weights.Option{weights.Rename(fileName), weights.Parts(fileParts),
		weights.AllowMissing("*.cache.*", "random_state")} // the states between runs
	if m.isQuantised() {
		opts = append(opts, weights.AllowNarrowing())
	}
	values, _, err := weights.Values(prompt, file, opts...)
	if err != nil {
		return nil, err
	}
	session := prompt.NewSession(exec.BorrowParams(values), exec.Seed(seed))
	return &writer{m, v, session, token.NewSession(exec.ShareParams(session)), bytesOf(values)}, nil
}

// compile makes the program of a continuation.
func (c continuation) compile(ctx context.Context, g *graph.Graph) (*exec.Program, error) {
	return exec.Compile(g, exec.Outputs(c.chosen, c.logits), exec.Updates(c.updates...), exec.Context(ctx))
}

// bytesOf is the memory of the values of parameters.
func bytesOf(values exec.Feed) (bytes int) {
	for n := range values {
		count, _ := n.Shape().NumElements().Int()
		bytes += int(count) * n.DType().Size()
	}
	return bytes
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
	for _, b := range w.model.blocks { // they hold the last text
		if err := w.prompt.SetParam(b.cache.Length, 0); err != nil {
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
	session, c := w.prompt, w.model.prompt
	if len(fresh) == 1 {
		session, c = w.token, w.model.token
	}
	r, err := session.Run(ctx, exec.Feed{c.text: fresh, w.model.temperature: float32(temperature)})
	if err != nil {
		return 0, err
	}
	chosen, err := exec.Values[int64](r, c.chosen)
	if err != nil {
		return 0, err
	}
	return chosen[0], nil
}
