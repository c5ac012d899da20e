package ops

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

var opPrint *graph.Op

// PrintAttrs are the fixed arguments of Print.
type PrintAttrs struct{ Text string }

// Args writes the text.
func (a PrintAttrs) Args(operands []string) []string { return after(operands, strconv.Quote(a.Text)) }

func init() {
	opPrint = define(graph.Op{Name: "print", Func: "Print", Doc: "x, which is written down when it is computed.",
		Class: graph.Function, Ordered: true,
		MinIn: 1, MaxIn: 1, Core: wholeOperands, Function: printOperand, Grad: each(same),
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) { return c.DType(0), c.Shape(0) },
	})
	opPrint.Ref = named("", "", "jax.debug.print", "", "", func(e *graph.Example) node {
		return Print(e.Of("x", "n"), "x")
	})
}

// Print returns x, and writes the text, the dtype, the shape and the elements when x is computed. In arrays of more
// than 1000 elements, it writes only the first and last 3 elements of axes longer than 6. exec.PrintTo sets where a
// session writes; the default is standard error. x is of any dtype, and gradients pass through.
//
// Values are written once each, in the order in which the calls were built, as [Callback] calls functions. Use the
// result instead of x, or pass it to exec.Updates: otherwise nothing is printed.
func Print(x *graph.Node, text string) *graph.Node { return Apply(opPrint, PrintAttrs{text}, x) }

// printOperand is what Print does in a run.
func printOperand(a *graph.Arrays) error {
	copyElements(a.Out, a.In[0])
	if a.Print == nil {
		return nil
	}
	_, err := io.WriteString(a.Print, a.Attrs.(PrintAttrs).Text+": "+arrayText(a.In[0])+"\n")
	return err
}

// copyElements copies the elements of an array to one of the same dtype and size.
func copyElements(to, from graph.Array) {
	reflect.Copy(reflect.ValueOf(to.Slice()), reflect.ValueOf(from.Slice()))
}

// Arrays of more elements are shown in part: so many from each end of an axis.
const (
	mostShown = 1000
	shownEnd  = 3
)

// arrayText writes an array: float32[2, 3], and its rows.
func arrayText(a graph.Array) string {
	p := arrayPrinter{Array: a, data: a.Slice(), short: a.NumElements() > mostShown}
	apart := " "
	if len(a.Shape) > 1 {
		apart = "\n"
	}
	fmt.Fprintf(&p, "%s%s%s", a.DType, strings.ReplaceAll(fmt.Sprint(a.Shape), " ", ", "), apart)
	p.write(0, 0)
	return p.String()
}

type arrayPrinter struct {
	strings.Builder
	graph.Array
	data  any
	short bool
}

// write writes what lies behind some axes: the element, or the parts along the next axis.
func (p *arrayPrinter) write(axis, at int) {
	if axis == len(p.Shape) {
		p.WriteString(elementText(p.DType, p.data, at))
		return
	}
	apart, size := ", ", p.Shape[axis]
	if inner := len(p.Shape) - axis - 1; inner > 0 {
		apart = "," + strings.Repeat("\n", inner) + strings.Repeat(" ", axis+1)
	}
	p.WriteByte('[')
	for i := 0; i < size; i++ {
		if i > 0 {
			p.WriteString(apart)
		}
		if p.short && i == shownEnd && size > 2*shownEnd {
			p.WriteString("…" + apart)
			i = size - shownEnd
		}
		p.write(axis+1, at*size+i)
	}
	p.WriteByte(']')
}

// elementText writes an element in the fewest digits that tell it from others.
func elementText(t graph.DType, data any, i int) string {
	v, whole := graph.NumberAt(data, i)
	switch {
	case t == graph.Bool:
		return strconv.FormatBool(whole != 0)
	case t == graph.Uint64:
		return strconv.FormatUint(uint64(whole), 10)
	case t.IsInt():
		return strconv.FormatInt(whole, 10)
	case t == graph.Float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 32)
}
