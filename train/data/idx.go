package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// IDXElement is an element type of a file in the format of MNIST.
type IDXElement interface {
	uint8 | int8 | int16 | int32 | float32 | float64
}

// IDX reads a file in the format of MNIST, compressed by gzip or not: two bytes of zero, the kind of the
// elements, the number of axes, the size of each in four bytes, and the elements, all in big-endian order
// (yann.lecun.com/exdb/mnist). S must be the type of the elements. The first axis is that of the examples:
//
//	pixels, shape, err := data.IDX[uint8]("train-images-idx3-ubyte.gz")
//	images, err := data.Of(pixels, 1, shape[1], shape[2])
//
// An input of graph.Uint8 takes the bytes as they are: ops.Div(ops.Cast(x, graph.Float32), graph.Num(255)) makes
// numbers from 0 to 1 of them where the program reads them.
//
// Memory is allocated as elements are read, whatever size the file claims.
func IDX[S IDXElement](path string) (values []S, shape []int, err error) {
	f, err := open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	values, shape, err = readIDX[S](f)
	if err != nil {
		return nil, nil, fmt.Errorf("data: %s: %w", path, err)
	}
	return values, shape, nil
}

func readIDX[S IDXElement](f *opened) (values []S, shape []int, err error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(f, head); err != nil || head[0] != 0 || head[1] != 0 {
		return nil, nil, errors.New(
			"this is not an IDX file: it does not start with two zero bytes, a kind and a number of axes")
	}
	if want := kindOf[S](); head[2] != want {
		return nil, nil, fmt.Errorf("the elements are %s, not %T", kindName(head[2]), *new(S))
	}
	sizes := make([]uint32, head[3])
	if err := binary.Read(f, binary.BigEndian, sizes); err != nil {
		return nil, nil, fmt.Errorf("the header ends before the sizes of %d axes", head[3])
	}
	want := uint64(binary.Size(*new(S)))
	for _, n := range sizes {
		high, low := bits.Mul64(want, uint64(n))
		if want = low; high > 0 || want > 1<<62 {
			return nil, nil, fmt.Errorf("the header has the shape %v, which is impossible", sizes)
		}
		shape = append(shape, int(n))
	}
	if f.size >= 0 && uint64(f.size) != want+4+4*uint64(len(sizes)) {
		return nil, nil, fmt.Errorf("the header says %d bytes of elements (shape %v), but the file has %d", want, shape,
			f.size-4-4*int64(len(sizes)))
	}
	return elements[S](f, int64(want), shape)
}

// elements reads so many bytes, and expects none after them.
func elements[S IDXElement](f *opened, want int64, shape []int) ([]S, []int, error) {
	var read bytes.Buffer
	n, err := io.Copy(&read, io.LimitReader(f, want+1))
	switch {
	case err != nil:
		return nil, nil, err
	case n != want:
		return nil, nil, fmt.Errorf("the header says %d bytes of elements (shape %v), but there are %s", want, shape,
			atLeast(n, want))
	}
	if data, isBytes := any(read.Bytes()).([]S); isBytes {
		return data, shape, nil
	}
	values := make([]S, want/int64(binary.Size(*new(S))))
	return values, shape, binary.Read(&read, binary.BigEndian, values)
}

func atLeast(n, want int64) string {
	if n > want {
		return "more"
	}
	return fmt.Sprint(n)
}

// kindOf returns the number of a type in files.
func kindOf[S IDXElement]() byte {
	for kind, zero := range idxKinds {
		if _, is := zero.(S); is {
			return kind
		}
	}
	return 0
}

var idxKinds = map[byte]any{8: uint8(0), 9: int8(0), 11: int16(0), 12: int32(0), 13: float32(0), 14: float64(0)}

func kindName(kind byte) string {
	if zero, is := idxKinds[kind]; is {
		return fmt.Sprintf("%T", zero)
	}
	return fmt.Sprintf("of kind %d, which the format does not have", kind)
}
