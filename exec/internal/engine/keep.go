package engine

import (
	"slices"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/placement"
	"github.com/broadloom/broadloom/kernels/hugepage"
)

// keptValues is results, kept between runs, of kernels that read only constants and parameters: see [lower.Kept].
type keptValues struct {
	memory   []byte
	offsets  []int         // of the buffers
	versions map[int][]int // by kernel: versions of the parameters that it has read
	runs     map[int]int   // by kernel: how often it has run
}

// reserve allocates memory for all kept results of a program.
func (v *keptValues) reserve(buffers []*lower.Buffer) {
	size := 0
	for _, s := range buffers {
		v.offsets = append(v.offsets, size)
		count, _ := s.Count.Int()
		size += placement.Aligned(int(count) * s.Dtype.Size())
	}
	v.memory, v.versions, v.runs = hugepage.Make[byte](size), map[int][]int{}, map[int]int{}
}

// pointer returns the memory of a buffer.
func (v *keptValues) pointer(index int) unsafe.Pointer {
	if v.offsets[index] >= len(v.memory) {
		return nil // it has no elements
	}
	return unsafe.Pointer(&v.memory[v.offsets[index]])
}

// isKept reports whether a kernel's kept results are still valid.
func (s *State) isKept(kernel int, k *lower.Kept) bool {
	versions, has := s.kept.versions[kernel]
	if !has {
		return false
	}
	for i, p := range k.Params {
		if versions[i] != s.Params[p].Version {
			return false
		}
	}
	return true
}

// keep records that a kernel's results are kept, if a launch is the kernel's last one.
func (b *Specialization) keep(s *State, launch int) {
	l := &b.Launches[launch]
	if l.kept == nil || launch+1 < len(b.Launches) && b.Launches[launch+1].kernel == l.kernel {
		return
	}
	versions := slices.Grow(s.kept.versions[l.kernel][:0], len(l.kept.Params))
	for _, p := range l.kept.Params {
		versions = append(versions, s.Params[p].Version)
	}
	s.kept.versions[l.kernel] = versions
	s.kept.runs[l.kernel]++
}

// KeptBytes returns the memory that a session needs for results computed only from parameters.
func (c *Code) KeptBytes() (bytes int) {
	for _, s := range c.keptBuffers {
		count, _ := s.Count.Int()
		bytes += int(count) * s.Dtype.Size()
	}
	return bytes
}
