package datasets

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FashionMNISTFolder is where Debian's package dataset-fashion-mnist puts its files.
const FashionMNISTFolder = "/usr/share/datasets/fashion-mnist"

// ErrNoFashionMNIST is returned where a folder lacks the files of Fashion-MNIST.
var ErrNoFashionMNIST = errors.New("the images are the Debian package dataset-fashion-mnist (apt-get install dataset-fashion-mnist)," +
	" or the files at https://github.com/zalandoresearch/fashion-mnist; -data names their folder")

// FashionMNIST reads 60,000 images to learn from and 10,000 to test on: clothes of ten kinds, 28x28
// pixels each.
func FashionMNIST(folder string) (training, test *Images, err error) {
	if training, err = readImages(folder, "train"); err == nil {
		test, err = readImages(folder, "t10k")
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", err, ErrNoFashionMNIST)
	}
	return training, test, err
}

// readImages reads a file of images and the one of their labels.
func readImages(folder, name string) (*Images, error) {
	shape, pixels, err := readIDX(filepath.Join(folder, name+"-images-idx3-ubyte.gz"), 3)
	if err != nil {
		return nil, err
	}
	count, labels, err := readIDX(filepath.Join(folder, name+"-labels-idx1-ubyte.gz"), 1)
	if err != nil {
		return nil, err
	}
	if count[0] != shape[0] {
		return nil, fmt.Errorf("%s: there are %d images and %d labels", folder, shape[0], count[0])
	}
	return &Images{Height: shape[1], Width: shape[2], Pixels: pixels, White: 255, Labels: labels}, nil
}

// maxIDX bounds the elements of a file, so that a damaged one cannot ask for all memory.
const maxIDX = 1 << 28

// readIDX reads a compressed file of bytes with so many axes, in the format of MNIST: two bytes of
// zero, 8 for bytes, the number of axes, each axis' size in four bytes, and the elements.
func readIDX(path string, axes int) (shape []int, data []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	unzip, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	header := make([]byte, 4+4*axes)
	if _, err := io.ReadFull(unzip, header); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if [4]byte(header) != [4]byte{0, 0, 8, byte(axes)} {
		return nil, nil, fmt.Errorf("%s holds no bytes of %d axes", path, axes)
	}
	size := int64(1)
	for i := range axes {
		n := binary.BigEndian.Uint32(header[4+4*i:])
		shape = append(shape, int(n))
		if size *= int64(n); n > maxIDX || size > maxIDX {
			return nil, nil, fmt.Errorf("%s: a shape of %v is more than this program reads", path, shape)
		}
	}
	data = make([]byte, size)
	if _, err := io.ReadFull(unzip, data); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return shape, data, nil
}
