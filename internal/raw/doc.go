// Package raw has code shared by the file formats for tensors. dtype.go has the dtypes of files, and their sizes;
// tensor.go has a tensor of a file; element.go has a row for each Go type that files can contain, with which decode.go
// converts a file's bytes to Go's numbers, and encode.go converts these to bytes.
package raw
