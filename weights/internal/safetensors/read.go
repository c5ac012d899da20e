package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/broadloom/broadloom/internal/raw"
)

// maxHeader is the longest header that the reference implementation reads.
const maxHeader = 100_000_000

// Read reads the header of a file of the given size. Elements are read when those of a tensor are.
func Read(r io.ReaderAt, size int64) (tensors []raw.Tensor, metadata map[string]string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("safetensors: %w", err)
		}
	}()
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, nil, errors.New("the file has no header: it has fewer than 8 bytes")
	}
	length := binary.LittleEndian.Uint64(head[:])
	switch {
	case length > maxHeader:
		return nil, nil, fmt.Errorf("the header has %d bytes according to the first eight: the limit is %d", length,
			maxHeader)
	case int64(length) > size-8:
		return nil, nil, fmt.Errorf("the file is truncated: its header has %d bytes, but only %d follow", length,
			size-8)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(io.NewSectionReader(r, 8, int64(length)), header); err != nil {
		return nil, nil, err
	}
	data := 8 + int64(length)
	spans, metadata, err := parseHeader(header, size-data)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range spans {
		tensors = append(tensors, raw.Tensor{Info: s.Info, Read: func() (any, error) {
			bytes, err := bytesOf(r, data+s.begin, s.end-s.begin)
			if err != nil {
				return nil, err
			}
			return raw.Decode(s.DType, binary.LittleEndian, bytes)
		}})
	}
	return tensors, metadata, nil
}

// bytesOf returns bytes of a file: those of memory that the file lies in, or a copy.
func bytesOf(r io.ReaderAt, at, count int64) ([]byte, error) {
	if m, ok := r.(interface{ Bytes() []byte }); ok {
		return m.Bytes()[at : at+count], nil
	}
	data := make([]byte, count)
	_, err := io.ReadFull(io.NewSectionReader(r, at, count), data)
	return data, err
}
