// Package npy reads and writes NumPy's formats .npy and .npz: those of numpy.lib.format, versions 1 to 3. header.go
// reads and writes the header of an array, a Python dictionary literal. read.go reads an array, zip.go an archive of
// arrays, and write.go writes both.
package npy
