package gemm

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLoopsKnowTheOffsetsOfTheirArguments compares the offsets in the generator of the loops, in the order of the
// fields, with those of the structs.
func TestLoopsKnowTheOffsetsOfTheirArguments(t *testing.T) {
	for file, args := range map[string]any{
		"tile.go": tileArgs{}, "transpose.go": transposeArgs{}, "thin.go": thinArgs{}, "pieces.go": piecesArgs{},
		"gemv.go": gemvArgs{}} {
		names, offsets := generatedOffsets(t, file)
		var fields []reflect.StructField
		for _, f := range reflect.VisibleFields(reflect.TypeOf(args)) {
			if !f.Anonymous {
				fields = append(fields, f)
			}
		}
		require.Len(t, offsets, len(fields), file)
		for i, f := range fields {
			at := reflect.Indirect(reflect.New(reflect.TypeOf(args)))
			assert.Equal(t, int(at.FieldByIndex(f.Index).UnsafeAddr()-at.UnsafeAddr()), offsets[i], "%s of %T is %s",
				f.Name, args, names[i])
		}
	}
}

// generatedOffsets lists the constants of a file of the generator that are offsets of arguments.
func generatedOffsets(t *testing.T, file string) (names []string, offsets []int) {
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("gen", file), nil, 0)
	require.NoError(t, err)
	ast.Inspect(parsed, func(n ast.Node) bool {
		c, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(c.Names[0].Name, "arg") || len(c.Values) != 1 {
			return true
		}
		if text, ok := c.Values[0].(*ast.BasicLit); ok {
			at, err := strconv.Atoi(text.Value)
			require.NoError(t, err)
			names, offsets = append(names, c.Names[0].Name), append(offsets, at)
		}
		return true
	})
	return names, offsets
}
