package lsp

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// largeText is a model of 1,000 nodes, of one line for each three.
func largeText(change int) string {
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"package net\n\nimport (\n\t\"github.com/broadloom/broadloom/graph\"\n\t\"github.com/broadloom/broadloom/ops\"\n)\n\n"+
			"//broadloom:model\nfunc net() *graph.Graph {\n\tg := graph.New(\"net\")\n\tx := g.Input(\"x\", graph.Float32, g.Dim(\"batch\"), 64)\n")
	for i := range 333 {
		fmt.Fprintf(&b, "\tx = ops.Tanh(ops.Add(x, g.Param(\"b%d\", graph.Float32, 64)))\n", i)
	}
	fmt.Fprintf(&b, "\tops.Mul(x, graph.Num(%d))\n\treturn g\n}\n", change)
	return b.String()
}

// BenchmarkSave measures from a save of a model of 1,000 nodes to its diagnostics and hints, warm:
//
//	go test ./cmd/broadloom/internal/lsp -run xx -bench Save
func BenchmarkSave(b *testing.B) {
	e := open(b, true, "", map[string]string{"net.go": largeText(0)})
	e.didOpen("net.go", largeText(0))
	if found := e.diagnostics("net.go"); found != "" {
		b.Fatal(found)
	}
	change, best := 0, time.Hour
	for b.Loop() {
		b.StopTimer()
		change++
		text := largeText(change)
		e.didChange("net.go", text)
		start := time.Now()
		b.StartTimer()
		e.save("net.go", text)
		e.diagnostics("net.go")
		e.hints("net.go", text)
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best.Milliseconds()), "ms/best") // the machine may have other work
	e.quit()
}
