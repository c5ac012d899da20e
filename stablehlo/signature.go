package stablehlo

import (
	"github.com/broadloom/broadloom/graph"
)

// Role is the role of an argument or a result of a module.
type Role string

// The roles.
const (
	RoleInput     Role = "input"     // fed to every run; as a result, the memory of a mutable input after the run
	RoleParameter Role = "parameter" // held from run to run, and trained
	RoleState     Role = "state"     // held from run to run, such as an optimiser's
	RoleOutput    Role = "output"    // asked for
	RoleCheck     Role = "check"     // a truth value: whether what Message tells against did not happen
)

// Signature lists the arguments and the results of a module, in order.
type Signature struct {
	// Mesh is the grid of devices over which values are divided; empty for one device.
	Mesh      []MeshAxis `json:"mesh,omitempty"`
	Arguments []Argument `json:"arguments"`
	Results   []Result   `json:"results"`
}

// MeshAxis is an axis of a mesh of devices.
type MeshAxis struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// Argument is an argument of a module.
type Argument struct {
	Role  Role   `json:"role"`
	Name  string `json:"name"`
	DType string `json:"dtype"` // Broadloom's name, such as "float32"
	Shape []int  `json:"shape"`
	// Dims are the sizes as the program declares them, such as "batch".
	Dims []string `json:"dims"`
	// DonatedTo is the result that takes the argument's memory, which must not be used again; -1 for none.
	DonatedTo int `json:"donated_to"`
	// Sharding has, for each axis, the mesh axes over which it is divided, if [Annotate] gives one.
	Sharding [][]string `json:"sharding,omitempty"`
}

// Result is a result of a module.
type Result struct {
	Role  Role   `json:"role"`
	Name  string `json:"name"` // of a check, the place in the user's program
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	// Message is the message of a run that fails a check.
	Message string `json:"message,omitempty"`
	// Sharding is as of an argument; without it, XLA has chosen one.
	Sharding [][]string `json:"sharding,omitempty"`
}

// Signature returns the arguments and the results of the module.
func (m *Module) Signature() *Signature { return &m.signature }

// roleOf returns the role of an input or a parameter.
func roleOf(n *graph.Node) Role {
	switch {
	case n.IsInput():
		return RoleInput
	case n.IsState():
		return RoleState
	}
	return RoleParameter
}

// argumentOf describes an input or a parameter.
func argumentOf(n *graph.Node, t tensor) Argument {
	a := Argument{Role: roleOf(n), Name: n.Name(), DType: t.dtype.String(), Shape: t.shape, Dims: []string{},
		DonatedTo: -1}
	for _, d := range n.Shape() {
		a.Dims = append(a.Dims, d.String())
	}
	return a
}
