package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // a format that pictures have
	_ "image/png"  // another
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/draw"

	"github.com/broadloom/broadloom/exec"
)

// maxPixels bounds a picture, so that a damaged one cannot ask for all memory.
const maxPixels = 1 << 26

// Images are the pictures (.png, .jpg, .jpeg) of a folder that has a folder for each class.
type Images struct {
	Paths   []string // in the order of their names, class by class
	Classes []string // the names of the folders, sorted
	classes []int64  // of each picture
}

// ImageFolder lists the pictures of a folder. They are read when a batch wants them.
func ImageFolder(folder string) (*Images, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	m := &Images{}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		files, err := os.ReadDir(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		for _, f := range files {
			if ending := strings.ToLower(filepath.Ext(f.Name())); !f.IsDir() &&
				slices.Contains([]string{".png", ".jpg", ".jpeg"}, ending) {
				m.Paths, m.classes = append(m.Paths, filepath.Join(folder, e.Name(), f.Name())),
					append(m.classes, int64(len(m.Classes)))
			}
		}
		m.Classes = append(m.Classes, e.Name())
	}
	if len(m.Paths) == 0 {
		return nil, fmt.Errorf("data: %s has no pictures (.png, .jpg, .jpeg) in folders that are their classes", folder)
	}
	return m, nil
}

// Labels is the column of classes: int64 scalars, places in Classes.
func (m *Images) Labels() Column {
	return &values[int64, int64]{m.classes, func(dst, src []int64) { copy(dst, src) }, nil, 1, len(m.classes)}
}

// Pixels is the column of the pictures: float32 [3, height, width] from 0 to 1 (red, green, blue), or with grey [1,
// height, width]. Pictures of other sizes are scaled (bilinear, over all pixels that a new one covers). Transparent
// parts are black.
func (m *Images) Pixels(height, width int, grey bool) (Column, error) {
	return newPixels(m, height, width, grey, func(v uint8) float32 { return float32(v) / 255 })
}

// Bytes is [Images.Pixels] as uint8, from 0 to 255: a quarter of the memory. The graph converts them.
func (m *Images) Bytes(height, width int, grey bool) (Column, error) {
	return newPixels(m, height, width, grey, func(v uint8) uint8 { return v })
}

func newPixels[T Element](m *Images, height, width int, grey bool, convert func(uint8) T) (Column, error) {
	if height < 1 || width < 1 || height > maxPixels/width {
		return nil, fmt.Errorf("data: pictures of %d×%d pixels: each side is at least 1, and the pixels are at most %d",
			height, width, maxPixels)
	}
	p := &pixels[T]{images: m, height: height, width: width, channels: 3, convert: convert}
	if grey {
		p.channels = 1
	}
	return p, nil
}

// pixels is the column of Images.Pixels and Images.Bytes.
type pixels[T Element] struct {
	images                  *Images
	height, width, channels int
	convert                 func(uint8) T
}

// Len implements [Column].
func (p *pixels[T]) Len() int { return len(p.images.Paths) }

// Batch implements [Column].
func (p *pixels[T]) Batch(ctx context.Context, rows []int) (exec.Array, error) {
	size := p.channels * p.height * p.width
	a := exec.Array{Shape: []int{len(rows), p.channels, p.height, p.width}}
	made := make([]T, len(rows)*size)
	for i, row := range rows {
		if err := context.Cause(ctx); err != nil {
			return a, err
		}
		if row < 0 || row >= p.Len() {
			return a, fmt.Errorf("data: there is no picture %d of %d", row, p.Len())
		}
		if err := p.read(p.images.Paths[row], made[i*size:(i+1)*size]); err != nil {
			return a, fmt.Errorf("data: %s: %w", p.images.Paths[row], err)
		}
	}
	a.Data = made
	return a, nil
}

// read reads a picture, channel by channel.
func (p *pixels[T]) read(path string, dst []T) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return errors.Unwrap(err)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return err
	}
	if c.Width > 0 && c.Height > maxPixels/c.Width {
		return fmt.Errorf("%d×%d pixels are more than %d", c.Height, c.Width, maxPixels)
	}
	from, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	var to draw.Image = image.NewRGBA(image.Rect(0, 0, p.width, p.height))
	if p.channels == 1 {
		to = image.NewGray(to.Bounds())
	}
	draw.BiLinear.Scale(to, to.Bounds(), from, from.Bounds(), draw.Src, nil)
	bytes, step := bytesOf(to)
	for channel := range p.channels {
		for i := range p.height * p.width {
			dst[channel*p.height*p.width+i] = p.convert(bytes[i*step+channel])
		}
	}
	return nil
}

// bytesOf returns the bytes of a picture, and how many a pixel has.
func bytesOf(m draw.Image) (pixels []byte, step int) {
	if grey, is := m.(*image.Gray); is {
		return grey.Pix, 1
	}
	return m.(*image.RGBA).Pix, 4
}
