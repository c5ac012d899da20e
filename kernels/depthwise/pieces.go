//go:build amd64 || arm64

package depthwise

import "unsafe"

// masks begins with a piece of 16 words that are all set, and ends with as many that are clear.
var masks = func() (m [32]uint32) {
	for i := range 16 {
		m[i] = ^uint32(0)
	}
	return m
}()

// cut sets the number of pieces of a row, and the mask for the elements of the last one.
func (a *moveArgs) cut(piece int) {
	a.pieces = (a.n - 1) / piece
	a.mask = unsafe.Pointer(&masks[16-(a.n-a.pieces*piece)])
}

func copyInPieces(a *moveArgs) {
	a.cut(8)
	copyRows(a)
}

func splitInPieces(a *moveArgs) {
	a.cut(16)
	splitRows(a)
}

func joinInPieces(a *moveArgs) {
	a.cut(16)
	joinRows(a)
}
