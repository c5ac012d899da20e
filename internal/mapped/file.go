// Package mapped reads files through memory that the system fills from them on access.
// file.go opens one; map_unix.go maps it, and map_other.go reads it instead.
package mapped

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// File is an open file. If it is mapped, its Bytes are the file's content.
type File struct {
	io.ReaderAt
	Size int64
	file *os.File
	unmap
}

// Open opens a file and maps it if the system can.
func Open(path string) (*File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // to open a pipe would wait for its writer
		err = NotOrdinary(path)
	}
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err != nil {
		file.Close()
		return nil, err
	}
	f := &File{ReaderAt: file, Size: info.Size(), file: file}
	if f.Size > 0 && f.Size <= math.MaxInt {
		if data, unmap := mapFile(file, int(f.Size)); data != nil {
			f.ReaderAt, f.unmap = memory(data), unmap
		}
	}
	return f, nil
}

// NotOrdinary is the error for a folder, a pipe or a device instead of a file.
func NotOrdinary(path string) error {
	return &os.PathError{Op: "open", Path: path, Err: errors.New("this is not a regular file")}
}

type unmap func() error

// Close closes the file. Data read from it stays valid.
func (f *File) Close() error {
	var err error
	if f.unmap != nil {
		err, f.unmap = f.unmap(), nil
		f.ReaderAt = f.file
	}
	if closed := f.file.Close(); err == nil {
		err = closed
	}
	return err
}

// memory is the content of a file in memory.
type memory []byte

// Bytes returns the file's content.
func (m memory) Bytes() []byte { return m }

// ReadAt implements io.ReaderAt.
func (m memory) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case off < 0: // what a damaged archive says may lead there
		return 0, fmt.Errorf("no place in the file: %d", off)
	case off >= int64(len(m)):
		return 0, io.EOF
	}
	n := copy(p, m[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
