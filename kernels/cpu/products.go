package cpu

// Products says which instructions for products of narrow numbers kernels may use, besides those of [Chosen].
type Products struct {
	// Dots is products of bytes, or of words of 16 bits, summed in 32 bits: AVX512-VNNI for [AVX512], AVX-VNNI for
	// [AVX2].
	Dots bool
	// Tiles is the tile registers of AMX with products of bytes. The system must have granted them to the process.
	Tiles bool
	// BFloat16Tiles is products of bfloat16 in tile registers.
	BFloat16Tiles bool
	// BFloat16Dots is products of pairs of bfloat16 summed in float32: AVX512-BF16.
	BFloat16Dots bool
}

// ProductsOf returns the products that go with a set of vector instructions.
func ProductsOf(isa ISA) Products { return productsOf(isa) }
