package fourier

import "sync"

// maxLengths bounds the lengths whose plans are kept.
const maxLengths = 64

// plans keep what the library prepares for transforms of each length. One of a length is used by one goroutine at a time.
type plans[T any] struct {
	mu       sync.Mutex
	byLength map[int]*sync.Pool
	make     func(n int) T
}

// of returns the plans for a length.
func (p *plans[T]) of(n int) *sync.Pool {
	p.mu.Lock()
	defer p.mu.Unlock()
	pool := p.byLength[n]
	if pool == nil {
		if p.byLength == nil || len(p.byLength) >= maxLengths {
			p.byLength = map[int]*sync.Pool{}
		}
		pool = &sync.Pool{New: func() any { return p.make(n) }}
		p.byLength[n] = pool
	}
	return pool
}
