package data

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// opened is a file, unpacked if it is compressed by gzip.
type opened struct {
	io.Reader
	file *os.File
	size int64 // of the file, or -1 where it is unknown what it holds
}

// open opens a file. Its first bytes tell whether it is compressed.
func open(path string) (*opened, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // to open a pipe would wait for its writer
		err = &os.PathError{Op: "open", Path: path, Err: errors.New("this is not a regular file")}
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	o, err := unpacked(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("data: %s: %w", path, err)
	}
	return o, nil
}

func unpacked(f *os.File) (*opened, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(f)
	head, err := r.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(head) != "\x1f\x8b" {
		return &opened{r, f, info.Size()}, nil
	}
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	return &opened{z, f, -1}, nil
}

// Close closes the file.
func (o *opened) Close() error { return o.file.Close() }
