package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/broadloom/broadloom/exec"
)

// writer writes texts.
type writer struct {
	model   *model
	text    *text
	session *exec.Session
	longest int // characters that the caches hold
	held    int // characters that they hold now
}

func newWriter(m *model, t *text, trained *exec.Session) (*writer, error) {
	prog, err := exec.Compile(m.graph, exec.Outputs(m.chosen), exec.Updates(m.writing...))
	if err != nil {
		return nil, err
	}
	longest, _ := m.caches[0].Keys.Shape()[2].Int()
	return &writer{model: m, text: t, session: prog.NewSession(exec.ShareParams(trained)), longest: int(longest)}, nil
}

// write continues a prompt by the given number of characters. When the caches are full, it starts again
// with the last half of their characters.
func (w *writer) write(ctx context.Context, prompt string, characters int, temperature float64) (string, error) {
	written, err := w.text.encode(prompt)
	switch {
	case err != nil:
		return "", err
	case len(written) == 0:
		return "", errors.New("a text is written from a prompt of at least one character")
	case !(temperature > 0):
		return "", fmt.Errorf("the temperature must be more than 0, and is %g", temperature)
	}
	w.held = w.longest // from another text
	for range characters {
		fresh := written[len(written)-1:]
		if w.held+1 > w.longest {
			if fresh, err = written[max(0, len(written)-w.longest/2):], w.forget(); err != nil {
				return "", err
			}
		}
		next, err := w.next(ctx, fresh, temperature)
		if err != nil {
			return "", err
		}
		written = append(written, next)
	}
	return w.text.decode(written), nil
}

// forget empties the caches.
func (w *writer) forget() error {
	w.held = 0
	for _, c := range w.model.caches {
		if err := w.session.SetParam(c.Length, 0); err != nil {
			return err
		}
	}
	return nil
}

// next reads characters and chooses one that follows them.
func (w *writer) next(ctx context.Context, fresh []int64, temperature float64) (int64, error) {
	r, err := w.session.Run(ctx, exec.Feed{
		w.model.prompt:      fresh,
		w.model.temperature: float32(temperature),
	})
	if err != nil {
		return 0, err
	}
	w.held += len(fresh)
	chosen, err := exec.Values[int64](r, w.model.chosen)
	if err != nil {
		return 0, err
	}
	return chosen[0], nil
}
