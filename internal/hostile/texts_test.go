package hostile

import (
	"fmt"
	"go/ast"
	"math"
	"path"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// numbered lists the exported integer types that have a text.
var numbered = []any{graph.Class(0), graph.Fold(0), graph.AxisKind(0), graph.Prim(0), graph.Severity(0),
	graph.PromiseKind(0), graph.LoopRole(0), graph.DType(0), graph.Dim(0), exec.BufferKind(0), ops.BoxFormat(0),
	ops.ConvolveMode(0), ops.FFTScale(0), ops.MatrixNormOrder(0), ops.OutsideElements(0), ops.PaddingMode(0),
	ops.QuantileMode(0), ops.RankMethod(0), ops.Reduction(0), ops.ResizeMode(0), ops.ResizePlaces(0),
	ops.ResizeRounding(0)}

// TestTextsOfNumbers asks for the text of any number of each of these types.
func TestTextsOfNumbers(t *testing.T) {
	for _, v := range numbered {
		of := reflect.TypeOf(v)
		for _, n := range []int64{0, 1, 2, 3, 7, 8, 15, 16, 100, 127, -128, -1, math.MinInt64, math.MinInt64 + 1,
			math.MaxInt64} {
			x := reflect.ValueOf(n).Convert(of).Interface().(fmt.Stringer)
			assert.NotPanics(t, func() { _ = x.String() }, "%s(%d)", of, n)
		}
	}
}

// TestNumberedAreAll sees to it that the list has all of them.
func TestNumberedAreAll(t *testing.T) {
	var want, have []string
	for _, v := range numbered {
		have = append(have, reflect.TypeOf(v).String())
	}
	for _, pkg := range packages {
		integers, texts := map[string]bool{}, map[string]bool{}
		for _, file := range parse(t, pkg) {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					of, isName := n.Type.(*ast.Ident)
					integers[n.Name.Name] = isName && n.Name.IsExported() && isInteger(of.Name)
				case *ast.FuncDecl:
					if n.Recv != nil && n.Name.Name == "String" {
						if of, isValue := n.Recv.List[0].Type.(*ast.Ident); isValue {
							texts[of.Name] = true
						}
					}
				}
				return true
			})
		}
		for name := range texts {
			if integers[name] {
				want = append(want, path.Base(pkg)+"."+name)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(have)
	assert.Equal(t, want, have)
}

func isInteger(name string) bool {
	return slices.Contains(
		[]string{"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte"}, name)
}
