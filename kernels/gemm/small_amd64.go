package gemm

import "unsafe"

// prepare lists the places of lanes for elements of a size. It returns the masks and the code.
func (s *Small) prepare(size int) (masks, code unsafe.Pointer) {
	single, double := smallCode()
	if size == 8 {
		for i := range s.lanes {
			s.lanes[i] = uint64(i * s.bCol)
		}
		return unsafe.Pointer(&lanes8[8]), double
	}
	for i := range s.lanes {
		s.lanes[i] = uint64(uint32(2*i*s.bCol)) | uint64(uint32((2*i+1)*s.bCol))<<32
	}
	return unsafe.Pointer(&lanes4[16]), single
}

// Run computes the product with the code.
func (s *Small) Run(code unsafe.Pointer) { callSmall(code, s) }

// callSmall calls code with the address of its arguments in DI.
//
//go:noescape
func callSmall(code unsafe.Pointer, args *Small)

// smallCode returns the addresses of smallF32 and smallF64.
func smallCode() (single, double unsafe.Pointer)

// smallF32 and smallF64 are called with the address of their arguments in DI.
//
//lint:ignore U1000 machine code calls it
func smallF32()

//lint:ignore U1000 machine code calls it
func smallF64()
