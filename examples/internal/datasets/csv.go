package datasets

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the tables
	"encoding/csv"
	"fmt"
	"strconv"
)

//go:embed digits.csv.gz
var digits []byte

//go:embed breast_cancer.csv.gz
var breastCancer []byte

// readCSV returns the lines of a compressed table of numbers, skipping the given number of header lines.
func readCSV(name string, data []byte, titles int) (lines [][]float64, err error) {
	unzip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := csv.NewReader(unzip)
	r.FieldsPerRecord = -1
	text, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, fields := range text[min(titles, len(text)):] {
		numbers := make([]float64, len(fields))
		for k, field := range fields {
			if numbers[k], err = strconv.ParseFloat(field, 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+titles+1, err)
			}
		}
		lines = append(lines, numbers)
	}
	return lines, nil
}

// Digits returns 1,797 handwritten digits of 8x8 pixels, from 0 to 16.
func Digits() (*Images, error) {
	d := &Images{Height: 8, Width: 8, White: 16}
	lines, err := readCSV("digits.csv.gz", digits, 0)
	for _, line := range lines {
		last := len(line) - 1
		for _, v := range line[:last] {
			d.Pixels = append(d.Pixels, uint8(v))
		}
		d.Labels = append(d.Labels, uint8(line[last]))
	}
	return d, err
}

// BreastCancer returns 30 measurements of each of 569 tumours, one row after the other, and whether
// each is benign: 1, or 0.
func BreastCancer() (measurements, benign []float32, err error) {
	lines, err := readCSV("breast_cancer.csv.gz", breastCancer, 1)
	for _, line := range lines {
		last := len(line) - 1
		for _, v := range line[:last] {
			measurements = append(measurements, float32(v))
		}
		benign = append(benign, float32(line[last]))
	}
	return measurements, benign, err
}
