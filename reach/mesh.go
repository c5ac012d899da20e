package reach

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Mesh is devices in a grid whose axes have names. Device numbers count along the last axis first.
type Mesh struct {
	axes []MeshAxis
	pos  graph.Pos
}

// MeshAxis is an axis of a mesh: its name and the number of devices along it.
type MeshAxis struct {
	Name string
	Size int
}

// Axis is an axis of a mesh with so many devices.
func Axis(name string, size int) MeshAxis { return MeshAxis{name, size} }

// NewMesh makes a mesh of the axes. Names are letters, digits and _, and sizes at least 1: a mesh of
// others is refused where it is used, by [Shard].
//
//	mesh := reach.NewMesh(reach.Axis("data", 4), reach.Axis("tensor", 2))
func NewMesh(axes ...MeshAxis) Mesh { return Mesh{slices.Clone(axes), graph.Caller()} }

// Axes returns the axes in the order in which they were given.
func (m Mesh) Axes() []MeshAxis { return slices.Clone(m.axes) }

// Names returns the names of the axes.
func (m Mesh) Names() []string {
	names := make([]string, len(m.axes))
	for i, a := range m.axes {
		names[i] = a.Name
	}
	return names
}

// Devices returns the number of devices of the mesh.
func (m Mesh) Devices() int {
	n := 1
	for _, a := range m.axes {
		n *= a.Size
	}
	return n
}

// String returns the axes with their sizes: "data=4 tensor=2".
func (m Mesh) String() string {
	words := make([]string, len(m.axes))
	for i, a := range m.axes {
		words[i] = fmt.Sprintf("%s=%d", a.Name, a.Size)
	}
	return strings.Join(words, " ")
}

// size returns the number of devices along an axis; ok is false if the mesh has no such axis.
func (m Mesh) size(axis string) (size int, ok bool) {
	for _, a := range m.axes {
		if a.Name == axis {
			return a.Size, true
		}
	}
	return 0, false
}

// parts returns into how many parts the mesh axes divide a value together.
func (m Mesh) parts(axes []string) int {
	n := 1
	for _, a := range axes {
		size, _ := m.size(a)
		n *= size
	}
	return n
}

// maxDevices bounds the devices of a mesh: more are most often a mistake, and counts stay far from an overflow.
const maxDevices = 1 << 20

// wrong says why m is no mesh, or "".
func (m Mesh) wrong() string {
	seen, devices := map[string]bool{}, 1
	for i, a := range m.axes {
		switch {
		case !isName(a.Name):
			return fmt.Sprintf("axis %d of the mesh is named %q: a name is a letter and then letters, digits and _", i,
				a.Name)
		case seen[a.Name]:
			return fmt.Sprintf("two axes of the mesh are named %q", a.Name)
		case a.Size < 1 || a.Size > maxDevices/devices:
			return fmt.Sprintf("axis %q of the mesh has %d devices: it must have at least 1, and the mesh at most %d",
				a.Name, a.Size, maxDevices)
		}
		seen[a.Name] = true
		devices *= a.Size
	}
	if len(m.axes) == 0 {
		return "the mesh has no axes"
	}
	return ""
}

// isName reports whether a word can name a mesh axis: the rules are those for names of sizes.
func isName(s string) bool {
	for i, r := range s {
		isLetter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !isLetter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
