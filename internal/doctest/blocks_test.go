package doctest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	blocks, err := Find(
		"a.md", "# A\n```go\npackage main\n```\n\n```text\nprinted\n```\n```sh\ngo test\n```\n```text\nother\n```\n"+
			"```go in=ops\nvar x int\n```\nwords\n```text\nnot its output\n```\n")
	require.NoError(t, err)
	assert.Equal(t, []Block{
		{File: "a.md", Line: 2, Code: "package main\n", Output: "printed\n", HasOutput: true},
		{File: "a.md", Line: 15, Code: "var x int\n", In: "ops"},
	}, blocks)
	assert.Equal(t, "a.md:15", blocks[1].String())

	_, err = Find("a.md", "words\n```go\npackage main\n")
	require.EqualError(t, err, "a.md:2: the block has no end")
}

func TestSource(t *testing.T) {
	source, tests, hasMain, err := Block{
		Code: "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(`package main`) }\n"}.Source("b")
	require.NoError(t, err)
	assert.Equal(t, "package b\n\nimport \"fmt\"\n\nfunc Main() { fmt.Println(`package main`) }\n", source)
	assert.True(t, hasMain)
	assert.Empty(t, tests)

	source, tests, hasMain, err = Block{Code: "package models\n\nfunc TestA(t *testing.T) {}\n"}.Source("b")
	require.NoError(t, err)
	assert.Contains(t, source, "package b\n")
	assert.False(t, hasMain)
	assert.Equal(t, []string{"TestA"}, tests)

	source, _, _, err = Block{Code: "ops.Add(x, graph.Num(1))\n"}.Source("b")
	require.NoError(t, err)
	assert.Contains(t, source, `import "github.com/broadloom/broadloom/ops"`)
	assert.Contains(t, source, "func fragment(")

	source, _, _, err = Block{Code: "func f(g *graph.Graph) {}\n"}.Source("b")
	require.NoError(t, err)
	assert.NotContains(t, source, "fragment")

	source, _, hasMain, err = Block{
		Code: "//broadloom:model\nfunc f(g *graph.Graph) {\n\tops.Add(g, 1)\n}\n"}.Source("b")
	require.NoError(t, err)
	assert.True(t, hasMain)
	assert.Contains(t, source, "f(g); fmt.Println(shapeinfer.Check(g))")
	assert.Contains(t, strings.Split(source, "\n")[2], "ops.Add", "lines stay as they are in the document")

	_, _, _, err = Block{File: "a.md", Line: 3, Code: "package main\nfunc {\n"}.Source("b")
	require.ErrorContains(t, err, "a.md:3")
}
