package exec

// Stats is the cost of one run of a program, with all sizes known.
type Stats struct {
	Kernels int
	Moved   int // bytes moved, with each operand read and each result written once
	Unfused int // the same if each operation were a separate kernel
	Flops   int // operations on elements; a fused multiply-add counts as two, a function such as exp as one
	Peak    int // bytes of the session's arena
	// bytes of values computed only from parameters, which a session keeps outside its arena until one of them changes
	Kept int
	Live int // bytes of the values that are live at the same time, at most: no plan needs less
}

// Stats evaluates the plan for the given named sizes. All names in the inputs' shapes must be given.
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
