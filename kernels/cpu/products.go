package cpu

// Products is which instructions for products of narrow numbers kernels may use, besides those of [Chosen].
type Products struct {
	// Dots is products of bytes, or of words of 16 bits, that are added up in 32 bits: AVX512-VNNI where [AVX512] is
	// chosen, AVX-VNNI where [AVX2] is.
	Dots bool
	// Tiles is the tile registers of AMX and products of bytes in them, which the system has granted the process.
	Tiles bool
	// BFloat16Tiles is products of bfloat16 in them.
	BFloat16Tiles bool
	// BFloat16Dots is products of pairs of bfloat16 that are added up in float32: AVX512-BF16.
	BFloat16Dots bool
}

// ProductsOf returns those that go with a set of vector instructions.
func ProductsOf(isa ISA) Products { return productsOf(isa) }
