// Command chars learns a text character by character, with a transformer, and writes some of its
// own: the first book of Moses in the King James version, which is in the public domain.
//
//	go run ./examples/chars
//
// text.go reads the text, model.go has the transformer and its three programs, and write.go writes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/broadloom/broadloom/examples/internal/cli"
	"github.com/broadloom/broadloom/exec"
)

func main() { cli.Main("chars", run) }

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var steps, batch, length, characters int
	var temperature float64
	var prompt string
	var seed uint64
	if err := cli.Parse("chars", args, func(f *flag.FlagSet) {
		f.IntVar(&steps, "steps", 1000, "`steps` of training")
		f.IntVar(&batch, "batch", 24, "`pieces` of the text in each step")
		f.IntVar(&length, "length", 96, "`characters` of a piece")
		f.IntVar(&characters, "write", 400, "`characters` to write")
		f.Float64Var(&temperature, "temperature", 0.7,
			"how bold the writer is: near 0 it takes the likeliest `character`")
		f.StringVar(&prompt, "prompt", "And God said", "how the written `text` begins")
		f.Uint64Var(&seed, "seed", 1, "`seed` of first values, pieces, dropout and writing")
	}); err != nil {
		return err
	}
	t, err := readText()
	if err != nil {
		return err
	}
	m := newModel(len(t.alphabet), steps, length)
	train, err := exec.Compile(m.graph, exec.Outputs(m.loss), exec.Updates(m.step...))
	if err != nil {
		return err
	}
	evaluate, err := exec.Compile(m.graph, exec.Outputs(m.testLoss))
	if err != nil {
		return err
	}
	session := train.NewSession(exec.Seed(seed))
	judge := evaluate.NewSession(exec.ShareParams(session))

	training, test := t.split()
	random, began, every := rand.New(rand.NewPCG(seed, 0)), time.Now(), max(steps/10, 1)
	for step := 1; step <= steps; step++ {
		piece, next := pieces(training, random, batch, length)
		r, err := session.Run(ctx, exec.Feed{m.text: piece, m.next: next})
		if err != nil {
			return err
		}
		if step%every != 0 {
			continue
		}
		loss, err := r.Scalar(m.loss)
		if err != nil {
			return err
		}
		testLoss, err := m.judge(ctx, judge, test, length)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "step %4d: loss %.3f, test loss %.3f, %.0f s\n", step, loss, testLoss,
			time.Since(began).Seconds())
	}
	w, err := newWriter(m, t, session)
	if err != nil {
		return err
	}
	began = time.Now()
	written, err := w.write(ctx, prompt, characters, temperature)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\n%s\n\n%.0f characters a second\n", written, float64(characters)/time.Since(began).Seconds())
	return nil
}

// judge returns the mean loss over pieces of the test text, always the same ones.
func (m *model) judge(ctx context.Context, session *exec.Session, test []int64, length int) (float64, error) {
	piece, next := pieces(test, rand.New(rand.NewPCG(1, 2)), 64, length)
	r, err := session.Run(ctx, exec.Feed{m.text: piece, m.next: next})
	if err != nil {
		return 0, err
	}
	return r.Scalar(m.testLoss)
}
