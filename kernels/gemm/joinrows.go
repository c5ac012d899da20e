package gemm

import "slices"

// JoinRows makes matrices of one row that share B one matrix with many rows. B is then packed once. Rows keep their
// order.
func (p *Product[T]) JoinRows() {
	for axis := len(p.Batch) - 1; axis >= 0 && p.M == 1; axis-- {
		if p.StepB[axis] != 0 && p.Batch[axis] != 1 {
			return
		}
		p.M, p.A.Row, p.C.Row = p.Batch[axis], p.StepA[axis], p.StepC[axis]
		p.Batch = slices.Delete(slices.Clone(p.Batch), axis, axis+1)
		p.StepA, p.StepB, p.StepC = without(p.StepA, axis), without(p.StepB, axis), without(p.StepC, axis)
	}
}

func without(steps []int, axis int) []int { return slices.Delete(slices.Clone(steps), axis, axis+1) }

// maxShortMatrix is the most rows of a matrix whose rows are computed in another order.
const maxShortMatrix = 24

// TurnRows exchanges the rows of short matrices that share B with the longest axis of the batch, and reports whether it
// did. Rows then come in a different order.
func (p *Product[T]) TurnRows() bool {
	best := -1
	for axis, n := range p.Batch {
		if p.StepB[axis] == 0 && n > 2*p.M && (best < 0 || n > p.Batch[best]) {
			best = axis
		}
	}
	if best < 0 || p.M < 2 || p.M > maxShortMatrix {
		return false
	}
	p.Batch, p.StepA, p.StepC = slices.Clone(p.Batch), slices.Clone(p.StepA), slices.Clone(p.StepC)
	p.M, p.Batch[best] = p.Batch[best], p.M
	p.A.Row, p.StepA[best] = p.StepA[best], p.A.Row
	p.C.Row, p.StepC[best] = p.StepC[best], p.C.Row
	return true
}
