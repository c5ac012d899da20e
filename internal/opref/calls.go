package opref

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

//go:embed testdata/calls
var callFiles embed.FS

// CallIn is the example of an operation as a Python call of another library's functions.
type CallIn struct {
	Row   string       // the operation's name; the second of one name has "#2" behind it
	Names []string     // the library's functions that the row names
	Text  string       // the call on the operands by their names; empty where numbers cannot be compared
	Of    ops.Function // the operation
}

// CallsIn returns calls for the rows that name functions of a library: "torch", "numpy" or "jax". They are in
// testdata/calls: "Row: call", or "Row: - reason" if numbers cannot be compared. A row that is missing there is called
// as its example, by its first name.
func CallsIn(library string) (list []CallIn, err error) {
	calls, err := readCalls(library)
	if err != nil {
		return nil, err
	}
	all := ops.Functions()
	for i, f := range all {
		c := CallIn{Row: f.Name, Names: namesIn(f.Names, library), Of: f}
		if i > 0 && all[i-1].Name == f.Name {
			c.Row += "#2"
		}
		text, known := calls[c.Row]
		delete(calls, c.Row)
		switch {
		case len(c.Names) == 0 && known:
			return nil, fmt.Errorf("testdata/calls/%s.txt has a call for %s, which names no function of that library",
				library, c.Row)
		case len(c.Names) == 0:
			continue
		case library == "onnx" || strings.HasPrefix(text, "-"):
		case known:
			c.Text = text
		default:
			args, err := plainArgs(f)
			if err != nil {
				return nil, fmt.Errorf(
					"testdata/calls/%s.txt has neither a call for %s, such as %s, nor a reason for none: %w", library,
					c.Row, c.Names[0], err)
			}
			c.Text = c.Names[0] + args
		}
		list = append(list, c)
	}
	for row := range calls {
		return nil, fmt.Errorf("a call in testdata/calls/%s.txt for %s, which is no row", library, row)
	}
	return list, nil
}

// Example builds the example of an operation with operands of a dtype, and returns its results.
func Example(f ops.Function, t graph.DType) ([]*graph.Node, error) {
	n, e, err := try(f, t)
	if err != nil {
		return nil, err
	}
	return results(n, e), nil
}

// namesIn are the functions of a library that a row names.
func namesIn(n graph.Names, library string) []string {
	text := map[string]string{"numpy": n.NumPy, "torch": n.PyTorch, "jax": n.JAX, "onnx": n.ONNX}[library]
	if text == "" {
		return nil
	}
	return strings.Split(text, ", ")
}

// operandsOnly is a call whose arguments are operands.
var operandsOnly = regexp.MustCompile(`^\w+(\((?:[a-z]\w*(?:, )?)+\))$`)

// plainArgs are the arguments of a row's call, which must all be operands.
func plainArgs(f ops.Function) (string, error) {
	r, err := Of(f)
	if err != nil {
		return "", err
	}
	match := operandsOnly.FindStringSubmatch(r.Call)
	if match == nil {
		return "", fmt.Errorf("%s has more than operands", r.Call)
	}
	return match[1], nil
}

// readCalls reads the table of a library; ONNX has none.
func readCalls(library string) (map[string]string, error) {
	calls := map[string]string{}
	if library == "onnx" {
		return calls, nil
	}
	text, err := callFiles.ReadFile(path.Join("testdata/calls", library+".txt"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		row, call, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("testdata/calls/%s.txt: no call in %q", library, line)
		}
		calls[row] = strings.TrimSpace(call)
	}
	return calls, nil
}
