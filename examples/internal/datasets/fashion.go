package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/broadloom/broadloom/train/data"
)

// FashionMNISTFolder is where Debian's package dataset-fashion-mnist puts its files.
const FashionMNISTFolder = "/usr/share/datasets/fashion-mnist"

// ErrNoFashionMNIST is returned if a folder lacks the files of Fashion-MNIST.
var ErrNoFashionMNIST = errors.New(
	"the images are the Debian package dataset-fashion-mnist (apt-get install dataset-fashion-mnist)," +
		" or the files at https://github.com/zalandoresearch/fashion-mnist; -data names their folder")

// FashionMNIST reads 60,000 images for training and 10,000 for testing: ten kinds of clothes, 28x28
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

// readImages reads a file of images and the file with their labels.
func readImages(folder, name string) (*Images, error) {
	pixels, shape, err := data.IDX[uint8](filepath.Join(folder, name+"-images-idx3-ubyte.gz"))
	if err != nil {
		return nil, err
	}
	labels, _, err := data.IDX[uint8](filepath.Join(folder, name+"-labels-idx1-ubyte.gz"))
	if err != nil {
		return nil, err
	}
	if len(shape) != 3 || len(labels) != shape[0] {
		return nil, fmt.Errorf("%s: there are images of shape %v and %d labels", folder, shape, len(labels))
	}
	return &Images{Height: shape[1], Width: shape[2], Pixels: pixels, White: 255, Labels: labels}, nil
}
