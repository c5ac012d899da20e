// Package raw has what file formats of tensors have in common. dtype.go has the dtypes that
// files know, and their sizes; tensor.go has a tensor of a file; element.go has a row for
// each Go type that files hold, with which decode.go makes Go's numbers of a file's bytes, and encode.go the bytes of Go's
// numbers.
package raw
