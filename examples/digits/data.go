package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/broadloom/broadloom/exec"
)

const (
	pixels  = 64 // of one image
	digits  = 10 // classes
	maxGrey = 16 // the darkest pixel
)

//go:embed digits.csv.gz
var digitsCSV []byte

// examples are images with the digits that they show.
type examples struct {
	images []float32 // pixels from 0 to 1, image by image
	labels []int64
}

func (e *examples) len() int { return len(e.labels) }

// batches returns the number of batches in an epoch; the last one may be smaller.
func (e *examples) batches(size int) int { return (e.len() + size - 1) / size }

// loadExamples reads the data that lie in the program.
func loadExamples() (*examples, error) {
	unzip, err := gzip.NewReader(bytes.NewReader(digitsCSV))
	if err != nil {
		return nil, fmt.Errorf("digits.csv.gz: %w", err)
	}
	r := csv.NewReader(unzip)
	r.FieldsPerRecord = pixels + 1
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("digits.csv.gz: %w", err)
	}
	e := &examples{}
	for i, line := range lines {
		for _, field := range line[:pixels] {
			grey, err := strconv.Atoi(field)
			if err != nil || grey < 0 || grey > maxGrey {
				return nil, fmt.Errorf("digits.csv.gz:%d: %q is no grey value from 0 to %d", i+1, field, maxGrey)
			}
			e.images = append(e.images, float32(grey)/maxGrey)
		}
		label, err := strconv.Atoi(line[pixels])
		if err != nil || label < 0 || label >= digits {
			return nil, fmt.Errorf("digits.csv.gz:%d: %q is no digit", i+1, line[pixels])
		}
		e.labels = append(e.labels, int64(label))
	}
	return e, nil
}

// pick puts the examples of the given numbers into dst, whose memory is used again.
func (e *examples) pick(dst *examples, numbers []int) {
	dst.images, dst.labels = dst.images[:0], dst.labels[:0]
	for _, n := range numbers {
		dst.images = append(dst.images, e.images[n*pixels:(n+1)*pixels]...)
		dst.labels = append(dst.labels, e.labels[n])
	}
}

// split keeps a fifth of the examples, chosen by the seed, for testing.
func (e *examples) split(seed uint64) (training, test *examples) {
	order := rand.New(rand.NewPCG(seed, 0)).Perm(e.len())
	training, test = &examples{}, &examples{}
	e.pick(test, order[:e.len()/5])
	e.pick(training, order[e.len()/5:])
	return training, test
}

// feed returns the examples to the inputs of a model.
func (e *examples) feed(m *model) exec.Feed {
	return exec.Feed{
		m.image: exec.Array{Shape: []int{e.len(), pixels}, Data: e.images},
		m.label: exec.Array{Shape: []int{e.len()}, Data: e.labels},
	}
}
