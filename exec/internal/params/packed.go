package params

import "sync"

// Packed holds copies of weights in the layout that products read. A parameter's copies belong to its value, so all
// sessions that share it read the same. The zero value is empty.
type Packed struct {
	mu sync.Mutex
	of map[any]Copy
}

// Copy is one packed weight.
type Copy interface {
	// Bytes is the size of its memory.
	Bytes() int
}

// Find returns the copy of a key. It calls made if there is none.
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

// Clear drops all copies.
func (p *Packed) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.of)
}

// Bytes is the size of all copies.
func (p *Packed) Bytes() (bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.of {
		bytes += c.Bytes()
	}
	return bytes
}
