// Command llama continues a text with a Llama from a .gguf file, in llama.cpp's format. Without a file, it takes a
// small one that learned the first book of Moses in PyTorch.
//
//	go run ./examples/llama
//	go run ./examples/llama -model tinyllama-1.1b.Q8_0.gguf -prompt "The capital of France is"
//
// settings.go reads what the file says of the model, formats.go chooses how its weights are held, model.go builds and
// loads it, tokens.go turns text to tokens and back, and write.go continues a text.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/broadloom/broadloom/examples/internal/cli"
	"github.com/broadloom/broadloom/weights"
)

func main() { cli.Main("llama", run) }

//go:embed genesis.gguf
var genesis string

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var path, prompt, held string
	var tokens, longest int
	var temperature float64
	var seed uint64
	if err := cli.Parse("llama", args, func(f *flag.FlagSet) {
		f.StringVar(&path, "model", "", "the .gguf `file` of the model")
		f.StringVar(&prompt, "prompt", "And God said unto Noah", "how the `text` begins")
		f.IntVar(&tokens, "tokens", 64, "`tokens` to write")
		f.IntVar(&longest, "context", 4096, "`tokens` that the model may look back, at most as many as it learned with")
		f.StringVar(&held, "weights", "", "the `dtype` in memory, int8, int4 or float32; by default as in the file")
		f.Float64Var(&temperature, "temperature", 0, "how bold the writer is: at 0 it takes the likeliest `token`")
		f.Uint64Var(&seed, "seed", 1, "`seed` of the choice of tokens")
	}); err != nil {
		return err
	}
	began := time.Now()
	w, err := open(ctx, path, longest, held, seed)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %.1f MB, read in %.2f s\n\n", w.model.settings, float64(w.bytes)/1e6,
		time.Since(began).Seconds())
	began = time.Now()
	text, written, err := w.write(ctx, prompt, tokens, temperature)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s\n\n%.0f tokens a second\n", text, float64(written)/time.Since(began).Seconds())
	return nil
}

// open reads a model from a file, or the small one if there is no path, and compiles its programs: see [readSettings].
func open(ctx context.Context, path string, longest int, held string, seed uint64) (*writer, error) {
	var file *weights.File
	var err error
	if path == "" {
		path = "genesis.gguf"
		file, err = weights.OpenReader(path, strings.NewReader(genesis), int64(len(genesis)))
	} else {
		file, err = weights.Open(path)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s, err := readSettings(file, longest, held)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	v, err := readVocabulary(file.Fields())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return newWriter(ctx, newModel(s), v, file, seed)
}
