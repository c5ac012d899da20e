// Package data reads examples and hands them out in batches. It can be used with or without the
// loop of package train.
//
//	x, err := data.Of(pixels, 1, 28, 28)                    // []float32: an image of each example
//	y, err := data.Of(labels)                               // []int64: a class of each example
//	l, err := data.New(32, []data.Column{x, y}, data.Shuffled(1), data.Prefetched(4))
//	for batch, err := range l.Epoch(ctx, 0) { ... batch.Columns[0] ... }
//
// column.go has columns, which are values of the examples, and parts of them. loader.go makes batches of columns,
// feeds.go gives them to inputs, and prefetch.go makes them in the background. csv.go, idx.go and images.go read
// tables, the format of MNIST and folders of pictures; arrays.go reads NumPy's files, and open.go opens files that may
// be compressed.
package data
