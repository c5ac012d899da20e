package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/broadloom/broadloom/internal/raw"
)

// ReadZip reads the headers of the arrays in an archive of the given size.
func ReadZip(r io.ReaderAt, size int64) (tensors []raw.Tensor, err error) {
	archive, err := zip.NewReader(r, size)
	switch {
	case errors.Is(err, zip.ErrFormat):
		return nil, fmt.Errorf("npz: the file is damaged, or was not written completely: %w", err)
	case err != nil:
		return nil, fmt.Errorf("npz: %w", err)
	}
	seen := map[string]bool{}
	for _, entry := range archive.File {
		name, isArray := strings.CutSuffix(entry.Name, ".npy")
		switch {
		case !isArray:
			return nil, fmt.Errorf("npz: %q is not an array: its name does not end with .npy", entry.Name)
		case seen[name]:
			return nil, fmt.Errorf("npz: two arrays are called %q", name)
		case !fs.ValidPath(entry.Name):
			return nil, fmt.Errorf("npz: %q is not a valid name of an array", entry.Name)
		}
		seen[name] = true
		if entry.CompressedSize64 > uint64(size) {
			return nil, fmt.Errorf("npz: the archive is truncated: array %q needs %d bytes, but it has %d", name,
				entry.CompressedSize64, size)
		}
		t, err := readEntry(entry, name)
		if err != nil {
			return nil, fmt.Errorf("npz: array %q: %w", name, err)
		}
		tensors = append(tensors, t)
	}
	return tensors, nil
}

// readEntry reads the header of an array in an archive.
func readEntry(entry *zip.File, name string) (t raw.Tensor, err error) {
	content, err := entry.Open()
	if err != nil {
		return t, err
	}
	defer content.Close()
	h, err := readHeader(content)
	switch {
	case err != nil:
		return t, err
	case h.unsupported != nil: // the others can be read
		return raw.Tensor{Info: raw.Info{Name: name, DType: h.dtype, Shape: h.shape}, Read: func() (any, error) {
			return nil, h.unsupported
		}}, nil
	case entry.UncompressedSize64 != uint64(h.start+h.bytes):
		return t, fmt.Errorf("it has %d bytes, but %s %v needs %d", entry.UncompressedSize64, h.dtype, h.shape,
			h.start+h.bytes)
	case h.bytes > maxExpansion*int64(entry.CompressedSize64)+1<<20:
		return t, fmt.Errorf("%d bytes in the archive cannot hold %d", entry.CompressedSize64, h.bytes)
	}
	return raw.Tensor{Info: raw.Info{Name: name, DType: h.dtype, Shape: h.shape}, Read: func() (any, error) {
		content, err := entry.Open()
		if err != nil {
			return nil, err
		}
		defer content.Close()
		if _, err := io.CopyN(io.Discard, content, h.start); err != nil {
			return nil, err
		}
		data, err := readElements(content, h)
		if err != nil {
			return nil, err
		}
		// The checksum is compared at the end.
		n, err := io.Copy(io.Discard, content)
		if err == nil && n > 0 {
			err = errors.New("npz: there is data after its end")
		}
		return data, err
	}}, nil
}

// maxExpansion is the most by which deflate can make data smaller.
const maxExpansion = 1032
