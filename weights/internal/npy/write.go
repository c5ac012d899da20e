package npy

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/broadloom/broadloom/internal/raw"
)

// Write writes an array in version 1 of the format.
func Write(w io.Writer, shape []int, data any) error {
	d, count, err := raw.DTypeOf(data)
	switch {
	case err != nil:
		return fmt.Errorf("npy: %w", err)
	case len(shape) > maxRank:
		return fmt.Errorf("npy: shape %v has more than %d axes", shape, maxRank)
	}
	if err := raw.CheckShape(shape, d, count); err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	descr, err := descrOf(d)
	if err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	var tuple strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&tuple, "%d, ", n)
	}
	text := tuple.String()
	if len(shape) > 1 { // a tuple of one has a comma
		text = strings.TrimSuffix(text, ", ")
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr,
		strings.TrimSuffix(text, " "))
	// Elements begin at a multiple of 64, as NumPy wants it.
	pad := 63 - (len(magic)+4+len(dict))%64
	head := append([]byte(magic), 1, 0)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(dict)+pad+1))
	head = append(head, dict+strings.Repeat(" ", pad)+"\n"...)
	if _, err := w.Write(head); err != nil {
		return err
	}
	return raw.Encode(w, data)
}

// Zip writes an archive of uncompressed arrays, like numpy.savez.
type Zip struct {
	archive *zip.Writer
	seen    map[string]bool
}

// NewZip starts an archive.
func NewZip(w io.Writer) *Zip { return &Zip{zip.NewWriter(w), map[string]bool{}} }

// Add writes an array.
func (z *Zip) Add(name string, shape []int, data any) error {
	switch {
	case z.seen[name]:
		return fmt.Errorf("npz: two arrays are called %q", name)
	case !fs.ValidPath(name + ".npy"):
		return fmt.Errorf("npz: %q is not a valid name of an array", name)
	}
	z.seen[name] = true
	w, err := z.archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	return Write(w, shape, data)
}

// Close finishes the archive.
func (z *Zip) Close() error { return z.archive.Close() }
