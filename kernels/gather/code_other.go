//go:build !amd64

package gather

import "unsafe"

func addresses() (taking, putting unsafe.Pointer) { return nil, nil }
