package params

import "sync"

// Packed is the copies of weights that products read, laid out for them. Those of a parameter belong to its value, so that all
// sessions that share it read the same. The zero value has none.
type Packed struct {
	mu sync.Mutex
	of map[any]Copy
}

// Copy is one of them.
type Copy interface {
	// Bytes is its memory.
	Bytes() int
}

// Find returns the copy of a key, which may be made now.
func (p *Packed) Find(key any, made func() Copy) Copy {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, known := p.of[key]
	if !known {
		if c = made(); p.of == nil {
			p.of = map[any]Copy{}
		}
		p.of[key] = c
	}
	return c
}

// Clear drops all.
func (p *Packed) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.of)
}

// Bytes is the memory of all.
func (p *Packed) Bytes() (bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.of {
		bytes += c.Bytes()
	}
	return bytes
}
