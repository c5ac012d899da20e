// Package npy reads and writes NumPy's formats .npy and .npz. header.go reads and writes the
// description of an array, which is a dictionary as Python writes it; read.go reads an array,
// zip.go an archive of them, and write.go writes both.
// The format is that of numpy.lib.format, versions 1 to 3.
package npy
