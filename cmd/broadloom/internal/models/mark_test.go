package models

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMarks(t *testing.T) {
	assert.True(t, isMark("//broadloom:model"))
	assert.True(t, isMark("//broadloom:model "))
	call, ok := cutMark("//broadloom:model NewNet(3, 64).Graph()")
	assert.True(t, ok)
	assert.Equal(t, "NewNet(3, 64).Graph()", call)
	for _, comment := range []string{"// broadloom:model", "//broadloom: model", "//brodloom:model",
		"//broadloom:Model", "//broadloom:modle",
		"//broadloom:models", "//Broadloom:model", "// broadloom:model attention",
		"// broadloom:model NewNet(3, 64).Graph()"} {
		assert.False(t, isMark(comment), comment)
		assert.True(t, isNearlyMark(comment), comment)
	}
	for _, comment := range []string{"//broadloom:model", "// The mark is broadloom:model, above a function.",
		"// Broadloom model", "//go:embed x", "//", "// model:",
		"//nolint:revive", "// broadloom:model marks a function", "/* broadloom:model */"} {
		assert.False(t, isNearlyMark(comment), comment)
	}
	assert.Equal(t, 3, typos("kitten", "sitting"))
	assert.Equal(t, 4, typos("", "abcd"))
}

func TestWrongMarksAreReported(t *testing.T) {
	file := filepath.Join("net", "net.go")
	p, err := read(listed{Dir: "net", GoFiles: []string{"net.go"}},
		Overlay{file: "package net\n\n// broadloom:model\nfunc a() *graph.Graph { return nil }\n\n" +
			"//broadloom:model\nfunc (l *layer) b(width int) *graph.Graph { return nil }\n\n//broadloom:model\nvar c = 1\n\n//broadloom:model\nfunc d() *graph.Graph { return nil }\n"})
	require.NoError(t, err)
	require.Len(t, p.Models, 1)
	assert.Equal(t, "d", p.Models[0].Name)
	require.Len(t, p.Problems, 3)
	all := strings.Join(p.Problems, "\n")
	assert.Contains(t, all,
		file+`:3: "// broadloom:model" marks no model: the mark is //broadloom:model, without spaces`)
	assert.Contains(t, all, file+":7: b is marked as a model: it must be a function without arguments")
	assert.Contains(t, all, file+":9: //broadloom:model must be in the comment above a function")
}
