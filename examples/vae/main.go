// Command vae learns to draw handwritten digits: a variational autoencoder (Kingma and Welling,
// Auto-encoding variational Bayes, 2014). It writes a picture of generated digits.
//
//	go run ./examples/vae
//
// model.go has the model and its two programs.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/broadloom/broadloom/examples/internal/cli"
	"github.com/broadloom/broadloom/examples/internal/datasets"
	"github.com/broadloom/broadloom/exec"
)

func main() { cli.Main("vae", run) }

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var out string
	var epochs int
	var seed uint64
	if err := cli.Parse("vae", args, func(f *flag.FlagSet) {
		f.StringVar(&out, "out", filepath.Join("out", "vae", "digits.png"),
			"`file` of the picture; its folder is made if need be")
		f.IntVar(&epochs, "epochs", 200, "`times` to go through the images")
		f.Uint64Var(&seed, "seed", 1, "`seed` of first values, noise and the order of images")
	}); err != nil {
		return err
	}
	digits, err := datasets.Digits()
	if err != nil {
		return err
	}
	m := newModel()
	train, err := exec.Compile(m.graph, exec.Outputs(m.loss), exec.Updates(m.step...))
	if err != nil {
		return err
	}
	dream, err := exec.Compile(m.graph, exec.Outputs(m.samples), exec.Updates(m.dreaming...))
	if err != nil {
		return err
	}
	session, random := train.NewSession(exec.Seed(seed)), rand.New(rand.NewPCG(seed, 0))
	for epoch := 1; epoch <= epochs; epoch++ {
		sum, steps := 0.0, 0.0
		for numbers := range slices.Chunk(random.Perm(digits.Len()), 64) {
			x, _ := digits.Batch(numbers)
			r, err := session.Run(ctx, exec.Feed{m.image: x})
			if err != nil {
				return err
			}
			loss, err := r.Scalar(m.loss)
			if err != nil {
				return err
			}
			sum, steps = sum+loss, steps+1
		}
		if epoch%max(epochs/10, 1) == 0 {
			fmt.Fprintf(stdout, "epoch %3d: loss %.3f\n", epoch, sum/steps)
		}
	}
	r, err := dream.NewSession(exec.ShareParams(session)).Run(ctx, nil)
	if err != nil {
		return err
	}
	pixels, err := exec.Values[float32](r, m.samples)
	if err != nil {
		return err
	}
	if err := writePicture(out, pixels); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "wrote", out)
	return nil
}

// writePicture writes rows x columns images with values from 0 to 1, each pixel as a square.
func writePicture(file string, pixels []float32) error {
	const zoom, frame = 6, 1
	cell := side*zoom + frame
	picture := image.NewGray(image.Rect(0, 0, columns*cell+frame, rows*cell+frame))
	for i, v := range pixels {
		n, y, x := i/(side*side), i/side%side, i%side
		left, top := n%columns*cell+frame+x*zoom, n/columns*cell+frame+y*zoom
		for dy := range zoom {
			for dx := range zoom {
				picture.SetGray(left+dx, top+dy, color.Gray{Y: uint8(255 * v)})
			}
		}
	}
	var data bytes.Buffer
	if err := errors.Join(png.Encode(&data, picture), os.MkdirAll(filepath.Dir(file), 0o755)); err != nil {
		return err
	}
	return os.WriteFile(file, data.Bytes(), 0o644)
}
