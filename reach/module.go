package reach

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/stablehlo"
)

// Module returns the program in StableHLO, one for all devices, with its shardings in Shardy's language: those
// of inputs and parameters, which XLA keeps, and constraints on the values of [At]. All sizes must be known:
// whole numbers, or bound by [Sizes].
func (p *Plan) Module() (*stablehlo.Module, error) {
	sizes := shapeinfer.Sizes{}
	for name, n := range p.sizes {
		sizes[name] = int64(n)
	}
	m, err := stablehlo.Export(p.graph, stablehlo.Outputs(p.outputs...), stablehlo.Updates(p.updates...),
		stablehlo.Bind(sizes),
		stablehlo.Annotate(p.shardy), stablehlo.Prelude(p.mesh.shardy()),
		stablehlo.Attribute("mhlo.num_partitions", fmt.Sprintf("%d : i32", p.mesh.Devices())))
	if err != nil {
		return nil, err
	}
	p.describe(m.Signature())
	return m, nil
}

// Export writes a folder that package launch runs: the module, its signature with the mesh and the shardings, and the
// session's parameters. A session of nil writes none. The old contents stay until all is written.
func (p *Plan) Export(dir string, s *exec.Session) error {
	m, err := p.Module()
	if err != nil {
		return err
	}
	return m.Save(dir, s)
}

// meshName is the name of the mesh in modules.
const meshName = "mesh"

// shardy writes the mesh as an operation of Shardy's.
func (m Mesh) shardy() string {
	axes := make([]string, len(m.axes))
	for i, a := range m.axes {
		axes[i] = fmt.Sprintf("%q=%d", a.Name, a.Size)
	}
	return fmt.Sprintf(`"sdy.mesh"() <{sym_name = %q, mesh = #sdy.mesh<[%s]>}> : () -> ()`, meshName,
		strings.Join(axes, ", "))
}

// shardy writes a value's sharding as an attribute of Shardy, or "" if XLA is to find it.
func (p *Plan) shardy(n *graph.Node) string {
	s, is := p.shardings[n]
	if !is {
		return ""
	}
	axes := make([]string, len(s))
	for i, names := range s {
		quoted := make([]string, len(names))
		for k, name := range names {
			quoted[k] = fmt.Sprintf("%q", name)
		}
		axes[i] = "{" + strings.Join(quoted, ", ") + "}"
	}
	return fmt.Sprintf("#sdy.sharding<@%s, [%s]>", meshName, strings.Join(axes, ", "))
}

// describe adds the mesh and the fixed shardings to the signature, for the launcher.
func (p *Plan) describe(s *stablehlo.Signature) {
	for _, a := range p.mesh.axes {
		s.Mesh = append(s.Mesh, stablehlo.MeshAxis{Name: a.Name, Size: a.Size})
	}
	of := func(name string) [][]string {
		sharding := p.shardings[p.graph.ByName(name)].clone()
		for axis := range sharding {
			if sharding[axis] == nil {
				sharding[axis] = []string{}
			}
		}
		return sharding
	}
	for i := range s.Arguments {
		s.Arguments[i].Sharding = of(s.Arguments[i].Name)
	}
	for i, r := range s.Results {
		if r.Role != stablehlo.RoleOutput && r.Role != stablehlo.RoleCheck {
			s.Results[i].Sharding = of(r.Name)
		}
	}
}
