package exec

import "unsafe"

// boundProduct is a matrix product with all sizes known.
type boundProduct struct {
	spec    *product
	batch   []int
	m, n, k int
	// strides of A over batch, m, k; of B over batch, k, n; of C over batch, m, n.
	strides [3][]int
	ptr     [3]unsafe.Pointer
}

func (b *binding) bindProduct(p *Program, spec *product) step {
	bp := &boundProduct{spec: spec, batch: b.shape(spec.batch), m: b.eval(spec.m), n: b.eval(spec.n), k: b.eval(spec.k)}
	s := step{product: bp}
	for i, o := range spec.operands {
		bp.strides[i] = b.strides(o)
		st := p.storageOf[o.base]
		s.operands = append(s.operands, place{storage: st, offset: b.eval(o.layout.Offset) * st.dtype.Size(), slot: -1})
		s.needsIn = s.needsIn || st.kind == inInput
	}
	return s
}

func (p *boundProduct) run(s *Session) {
	index := make([]int, len(p.batch))
	for _, d := range p.batch {
		if d == 0 {
			return
		}
	}
	for {
		var off [3]int
		for i := range off {
			for a, x := range index {
				off[i] += x * p.strides[i][a]
			}
		}
		naive(p, off)
		a := len(index) - 1
		for ; a >= 0; a-- {
			index[a]++
			if index[a] < p.batch[a] {
				break
			}
			index[a] = 0
		}
		if a < 0 {
			return
		}
	}
}

func naive(p *boundProduct, off [3]int) {
	size := p.spec.dtype.Size()
	r := len(p.batch)
	switch size {
	case 4:
		naiveT[float32](p, off, r)
	default:
		naiveT[float64](p, off, r)
	}
}

func naiveT[T float32 | float64](p *boundProduct, off [3]int, r int) {
	var z T
	sz := int(unsafe.Sizeof(z))
	at := func(i, x, y int) *T {
		return (*T)(unsafe.Add(p.ptr[i], (off[i]+x*p.strides[i][r]+y*p.strides[i][r+1])*sz))
	}
	for i := 0; i < p.m; i++ {
		for j := 0; j < p.n; j++ {
			var sum T
			for k := 0; k < p.k; k++ {
				sum += *at(0, i, k) * *at(1, k, j)
			}
			*at(2, i, j) = sum
		}
	}
}
