// Package datasets reads the data of the examples.
//
// datasets.go has images and batches of them, csv.go the tables that are part of the program, and fashion.go
// the files of Fashion-MNIST.
package datasets

// Images are grey images with their classes.
type Images struct {
	Height, Width int
	Pixels        []uint8 // image by image, row by row
	White         uint8   // the greatest value of a pixel
	Labels        []uint8
}

// Len returns the number of images.
func (d *Images) Len() int { return len(d.Labels) }

// Slice returns the images in a range of numbers, sharing the memory of d.
func (d *Images) Slice(from, to int) *Images {
	size := d.Height * d.Width
	part := *d
	part.Pixels, part.Labels = d.Pixels[from*size:to*size], d.Labels[from:to]
	return &part
}

// Where returns copies of the images whose labels are wanted, in their order.
func (d *Images) Where(wanted func(label uint8) bool) *Images {
	size := d.Height * d.Width
	part := *d
	part.Pixels, part.Labels = nil, nil
	for i, label := range d.Labels {
		if wanted(label) {
			part.Pixels, part.Labels = append(part.Pixels, d.Pixels[i*size:(i+1)*size]...), append(part.Labels, label)
		}
	}
	return &part
}

// Batch returns the images of the given numbers, float32 [n, 1, height, width] from 0 to 1, and their
// labels, int64 [n].
func (d *Images) Batch(numbers []int) (images []float32, labels []int64) {
	bytes, labels := d.Bytes(numbers)
	images = make([]float32, len(bytes))
	for i, v := range bytes {
		images[i] = float32(v) / float32(d.White)
	}
	return images, labels
}

// Bytes returns the images of the given numbers as they are, uint8 [n, 1, height, width] from 0 to White, and
// their labels, int64 [n].
func (d *Images) Bytes(numbers []int) (images []uint8, labels []int64) {
	size := d.Height * d.Width
	images, labels = make([]uint8, 0, len(numbers)*size), make([]int64, 0, len(numbers))
	for _, n := range numbers {
		images, labels = append(images, d.Pixels[n*size:(n+1)*size]...), append(labels, int64(d.Labels[n]))
	}
	return images, labels
}

// Numbers returns the numbers from 0 to n-1.
func Numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
