package peak

// turns is the length of one call of Loop: some tens of microseconds.
const turns = 10_000

// Flops is the number of floating-point operations of one call of Loop, on elements of a size in bytes; 0 if there is
// no loop for the processor.
func Flops(elementBytes int) float64 {
	return 2 * turns * chains * float64(vectorBytes()/elementBytes)
}
