//go:build !amd64

package static

var table map[Key]Func
