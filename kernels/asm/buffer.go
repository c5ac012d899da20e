package asm

import "encoding/binary"

// buffer is the code and the constants so far, with labels and references to them.
type buffer struct {
	code    []byte
	data    []byte
	labels  []place
	fixups  []fixup
	entries int // how often code went on from another place than what was added last
}

// place is where a label is bound: an offset in the code or in the data.
type place struct {
	offset int
	data   bool
}

// fixup is a distance to a label, counted from end.
type fixup struct {
	at, end int
	label   Label
}

// Mark is a state of an Asm to which its Rewind returns.
type Mark struct{ code, data, labels, fixups int }

// Mark returns the current state.
func (b *buffer) Mark() Mark { return Mark{len(b.code), len(b.data), len(b.labels), len(b.fixups)} }

// Rewind drops everything that was added since the mark was taken. Labels made before
// the mark must not have been bound since.
func (b *buffer) Rewind(m Mark) {
	b.entries++
	b.code, b.data, b.labels, b.fixups = b.code[:m.code], b.data[:m.data], b.labels[:m.labels], b.fixups[:m.fixups]
}

// Len is the number of bytes of code so far.
func (b *buffer) Len() int { return len(b.code) }

// NewLabel makes a label that is bound later.
func (b *buffer) NewLabel() Label {
	b.labels = append(b.labels, place{offset: -1})
	return Label(len(b.labels) - 1)
}

// Bind binds a label to the current place in the code.
func (b *buffer) Bind(l Label) {
	b.entries++
	b.labels[l] = place{offset: len(b.code)}
}

// Offset is where a label is bound, in bytes from the beginning of the code.
func (b *buffer) Offset(l Label) int { return b.labels[l].offset }

// Here makes a label at the current place in the code.
func (b *buffer) Here() Label {
	l := b.NewLabel()
	b.Bind(l)
	return l
}

// Data adds a constant, aligned to align bytes, and returns its label.
func (b *buffer) Data(c []byte, align int) Label {
	for len(b.data)%align != 0 {
		b.data = append(b.data, 0)
	}
	b.labels = append(b.labels, place{len(b.data), true})
	b.data = append(b.data, c...)
	return Label(len(b.labels) - 1)
}

func (b *buffer) emit(c ...byte)  { b.code = append(b.code, c...) }
func (b *buffer) emit32(v uint32) { b.code = binary.LittleEndian.AppendUint32(b.code, v) }
