package difftest

import (
	_ "embed" // the helpers
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
)

func goFloat(v float64) string {
	if math.IsInf(v, 0) {
		return fmt.Sprintf("math.Inf(%g)", math.Copysign(1, v))
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func goFloats(list []float64) string {
	text := make([]string, len(list))
	for i, v := range list {
		text[i] = goFloat(v)
	}
	return "[]float64{" + strings.Join(text, ", ") + "}"
}

func joined(v []int) string {
	text := make([]string, len(v))
	for i, n := range v {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ", ")
}

// goSize writes a size with the methods of graph.Dim.
func goSize(s eager.Size) string {
	if s.IsWhole() && s.Eval(nil) == end.Eval(nil) {
		return "ops.End"
	}
	var text string
	for i, t := range s {
		term := strconv.Itoa(t.Times)
		if len(t.Names) > 0 {
			term = strings.Join(t.Names, ".Times(") + strings.Repeat(")", len(t.Names)-1)
			if t.Times != 1 {
				term += fmt.Sprintf(".Times(%d)", t.Times)
			}
		}
		switch {
		case i == 0 && len(t.Names) == 0 && len(s) > 1:
			text = "graph.Dim(" + term + ")"
		case i == 0:
			text = term
		default:
			text += ".Plus(" + term + ")"
		}
	}
	return text
}

func goSizes(list []eager.Size) string {
	text := make([]string, len(list))
	for i, s := range list {
		text[i] = goSize(s)
	}
	return "{" + strings.Join(text, ", ") + "}"
}

func goDType(t graph.DType) string {
	if t == graph.InvalidDType {
		return "graph.InvalidDType"
	}
	return "graph." + t.GoName()
}

//go:embed signs.go
var signsFile string

// helpers are the functions of this package that steps call, as source text.
func helpers(body string) (text string) {
	for _, f := range strings.Split(signsFile, "\n\n") {
		name, _, _ := strings.Cut(strings.TrimPrefix(f, "// "), " ")
		if strings.Contains(f, "\nfunc "+name+"(") && strings.Contains(body, name+"(") {
			text += "\n" + strings.TrimSpace(f) + "\n"
		}
	}
	return text
}

// Source writes a program as a Go program that prints the results of its run.
func Source(p *eager.Program, binding int) string {
	body := goMain(p, binding)
	body += helpers(body)
	text := "package main\n\nimport (\n"
	for _, path := range []string{"context", "fmt", "math", "", "autodiff", "exec", "graph", "half", "ops", "optim"} {
		switch {
		case path == "":
			text += "\n"
		case !strings.Contains(body, path+"."):
		case slices.Contains([]string{"context", "fmt", "math"}, path):
			text += "\t\"" + path + "\"\n"
		default:
			text += "\t\"github.com/broadloom/broadloom/" + path + "\"\n"
		}
	}
	return text + ")\n\n" + body
}

// goMain writes the function main.
func goMain(p *eager.Program, binding int) string {
	var t strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&t, format+"\n", args...) }
	line("func main() {")
	policy := map[string]string{"numpy": "graph.Numpy", "unify": "graph.Unify", "strict": "graph.Strict"}[p.Policy]
	line("\tg := graph.New(\"random\", graph.WithPolicy(graph.Policy{Names: %s}))", policy)
	for _, n := range p.Names {
		line("\t%s := g.Dim(%q, graph.AtLeast(%d)) // %d in this run", n.Name, n.Name, n.AtLeast,
			p.Sizes(binding)[n.Name])
		line("\t_ = %s", n.Name)
	}
	if p.Equal {
		line("\tg.Equal(%s, %s)", p.Names[0].Name, p.Names[1].Name)
	}
	for i, in := range p.Inputs {
		declare := "Input"
		if in.Param {
			declare = "Param"
		}
		args := strings.Trim(goSizes(in.Shape), "{}")
		if args != "" {
			args = ", " + args
		}
		if in.Mutable {
			args += ").Mutable("
		}
		line("\tv%d := g.%s(\"x%d\", %s%s)", i, declare, i, goDType(dtype(in.T)), args)
	}
	b := &built{}
	at := len(p.Inputs)
	for i := range p.Steps {
		s := &p.Steps[i]
		var args []string
		for _, a := range arguments(b, s) {
			args = append(args, a.text)
		}
		line("\t%s", goStep(s, at, strings.Join(args, ", ")))
		for range s.N {
			if !isRead(p, at) {
				line("\t_ = v%d", at)
			}
			at++
		}
	}
	outputs, updates := goGradient(p, line)
	for _, k := range p.Outputs {
		outputs = append(outputs, fmt.Sprintf("v%d", k))
	}
	for _, k := range p.Updates {
		updates = append(updates, fmt.Sprintf("v%d", k))
	}
	goRun(p, binding, outputs, updates, line)
	line("}")
	return t.String()
}

// isRead reports whether a value is read or is an output.
func isRead(p *eager.Program, id int) bool {
	lists := [][]int{p.Outputs, p.Updates}
	for _, s := range p.Steps {
		lists = append(lists, s.In)
	}
	if d := p.Gradient; d != nil {
		lists = append(lists, d.Wrt, []int{d.Of, d.Up})
	}
	return slices.ContainsFunc(lists, func(list []int) bool { return slices.Contains(list, id) })
}

// goName is the name of the function of a step: one of package ops, or one of this package's helpers.
func goName(s *eager.Step) string {
	path := runtime.FuncForPC(reflect.ValueOf(calls[s.Op].fn).Pointer()).Name()
	if name, own := strings.CutPrefix(path[strings.LastIndex(path, "/")+1:], "difftest."); own {
		return name
	}
	return "ops." + s.Op
}

func goStep(s *eager.Step, at int, args string) string {
	switch {
	case len(s.Body) > 0:
		return goControl(s, at, args)
	case s.Op == "Num" && s.T == "": // a constant with a point is a floating-point number
		return fmt.Sprintf("v%d := graph.Num(float64(%s))", at, goFloat(s.F[0]))
	case s.Op == "Num":
		return fmt.Sprintf("v%d := graph.Num(%s)", at, goFloat(s.F[0]))
	case strings.HasPrefix(s.Op, "Split") || s.Op == "Chunk" || s.Op == "Unbind":
		text := fmt.Sprintf("parts%d := ops.%s(%s)", at, s.Op, args)
		for k := range s.N {
			text += fmt.Sprintf("\n\tv%d := parts%d[%d]", at+k, at, k)
		}
		return text
	}
	names := make([]string, s.N)
	for k := range names {
		names[k] = fmt.Sprintf("v%d", at+k)
	}
	return fmt.Sprintf("%s := %s(%s)", strings.Join(names, ", "), goName(s), args)
}

func goGradient(p *eager.Program, line func(string, ...any)) (outputs, updates []string) {
	d := p.Gradient
	if d == nil {
		return nil, nil
	}
	wrt := make([]string, len(d.Wrt))
	for i, k := range d.Wrt {
		wrt[i] = fmt.Sprintf("v%d", k)
	}
	up := ""
	if d.Up >= 0 {
		up = fmt.Sprintf(", autodiff.Upstream(v%d)", d.Up)
	}
	list := strings.Join(wrt, ", ")
	line("\tfirst := autodiff.Grad(v%d, []*graph.Node{%s}, autodiff.ZeroForUnused()%s)", d.Of, list, up)
	for i, k := range d.Wrt {
		if d.Steps(p, k) {
			updates = append(updates, fmt.Sprintf(
				"optim.SGD(%g).Updates([]*graph.Node{v%d}, first[%d:%d])[0]", d.Rate, k, i, i+1))
		} else {
			outputs = append(outputs, fmt.Sprintf("first[%d]", i))
		}
	}
	if d.Second {
		sum := ""
		for i := range d.Wrt {
			term := fmt.Sprintf("ops.Sum(first[%d])", i)
			if sum = "ops.Add(" + sum + ", " + term + ")"; i == 0 {
				sum = term
			}
		}
		line("\tsecond := autodiff.Grad(%s, []*graph.Node{%s}, autodiff.ZeroForUnused())", sum, list)
		for i := range d.Wrt {
			outputs = append(outputs, fmt.Sprintf("second[%d]", i))
		}
	}
	return outputs, updates
}

func goRun(p *eager.Program, binding int, outputs, updates []string, line func(string, ...any)) {
	line("\tprog, err := exec.Compile(g, exec.Outputs(%s), exec.Updates(%s))", strings.Join(outputs, ", "),
		strings.Join(updates, ", "))
	line("\tif err != nil {\n\t\tpanic(err)\n\t}\n\ts := prog.NewSession()")
	line("\tfeed := exec.Feed{}")
	for id, in := range p.Inputs {
		shape := make([]int, len(in.Shape))
		for i, d := range in.Shape {
			shape[i] = d.Eval(p.Sizes(binding))
		}
		a := array(in.T, shape, p.Draw(id, binding))
		text := fmt.Sprintf("exec.Array{Shape: []int{%s}, Data: %#v}", joined(shape), a.Data)
		if in.Param {
			line("\tif err := s.SetParam(v%d, %s); err != nil {\n\t\tpanic(err)\n\t}", id, text)
		} else {
			line("\tfeed[v%d] = %s", id, text)
		}
	}
	line("\tr, err := s.Run(context.Background(), feed)\n\tif err != nil {\n\t\tpanic(err)\n\t}")
	for _, o := range outputs {
		line("\tfmt.Print(%q, \" \")\n\tfmt.Println(r.Array(%s))", o, o)
	}
	for id, in := range p.Inputs {
		if in.Param && len(updates) > 0 {
			line("\tw%d, _ := s.Param(v%d)\n\tfmt.Println(\"v%d after the run\", w%d)", id, id, id, id)
		}
	}
	if len(outputs) == 0 {
		line("\t_ = r\n\tfmt.Println()")
	}
}
