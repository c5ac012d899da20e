//go:build !amd64

package gemm

import "unsafe"

func (s *Small) prepare(int) (masks, code unsafe.Pointer) { return nil, nil }

// Run panics: there is no code for this processor.
func (s *Small) Run(unsafe.Pointer) { panic("gemm: not on this processor") }
