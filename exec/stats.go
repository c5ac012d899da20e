package exec

// Stats is what one run of a program takes, with all sizes known.
type Stats struct {
	Kernels int
	Moved   int // bytes between memory and processor, each operand read and each result written once
	Unfused int // the same if each operation were a kernel of its own
	Flops   int // operations on elements; a fused multiply-add counts as two, a function such as exp as one
	Peak    int // bytes of the session's arena
	Kept    int // bytes of what is computed of parameters alone, which a session keeps beside its arena until one of them changes
	Live    int // bytes of the values that are alive at once, at the worst moment: no plan needs less
}

// Stats evaluates the plan for the given named sizes. All names that inputs have must be
// given.
func (p *Program) Stats(sizes map[string]int) (*Stats, error) {
	b, err := p.bindingFor(sizes)
	if err != nil {
		return nil, err
	}
	s := &Stats{Kernels: len(p.code.Kernels), Peak: b.Arena, Kept: p.code.KeptBytes(), Live: b.Live(p.code)}
	for _, k := range p.code.Kernels {
		moved, unfused := b.Traffic(k)
		s.Moved, s.Unfused = s.Moved+moved, s.Unfused+unfused
		flops, _ := b.Flops(k)
		s.Flops += flops
	}
	return s, nil
}
