//go:build !amd64

package gemm

// transposes is code that transposes blocks: none for this processor.
var transposes func(*transposeArgs)

// dotsFor returns the loops for two types of factors; nil if both have the type of the sums, for which there is
// [plain].
func dotsFor(a, b Type) *dots {
	if a == Own && b == Own || a == FastBFloat16 || b == FastBFloat16 {
		return nil
	}
	return &plainDots
}
