//go:build !amd64

package gemm

// chosenPairs returns no loops for pairs.
func chosenPairs() *pairTiles { return nil }
