package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
)

// BenchmarkLlama measures a model of 85 million parameters on one thread: a token, and a prompt of 64 tokens.
func BenchmarkLlama(b *testing.B) {
	for _, held := range []format{{}, {8, 32, false}, {8, 128, false}, {4, 32, false}, {4, 128, false}, {4, 32, true}} {
		formats := map[string]format{}
		if held.bits != 0 {
			formats["token_embd"] = format{8, held.block, false}
		}
		for i := range 6 {
			for _, layer := range []string{"attn", "ffn_gate", "ffn_up", "ffn_down"} {
				formats[fmt.Sprintf("blk.%d.%s", i, layer)] = held
			}
		}
		m := newModel(settings{layers: 6, width: 1024, inner: 2816, heads: 16, kvHeads: 16, tokens: 8192, longest: 512,
			base: 10_000, epsilon: 1e-5, isTied: true, held: formats})
		for tokens, c := range map[int]continuation{1: m.token, 64: m.prompt} {
			name := fmt.Sprintf("float32/%d", tokens)
			if held.bits != 0 {
				name = fmt.Sprintf("%s_%d/%d", held, held.block, tokens)
			}
			b.Run(name, func(b *testing.B) { m.measure(b, c, tokens) })
		}
	}
}

// measure runs a program with so many tokens, behind 64 others.
func (m *model) measure(b *testing.B, c continuation, tokens int) {
	p, err := c.compile(b.Context(), m.graph)
	require.NoError(b, err)
	s, bytes := p.NewSession(exec.Threads(1)), 0
	for _, n := range p.Params() {
		if !strings.Contains(n.Name(), ".cache.") {
			bytes += bytesOf(exec.Feed{n: nil})
		}
	}
	feed := exec.Feed{c.text: make([]int64, tokens), m.temperature: float32(0)}
	run := func() {
		for _, block := range m.blocks {
			require.NoError(b, s.SetParam(block.cache.Length, 64))
		}
		_, err := s.Run(b.Context(), feed)
		require.NoError(b, err)
	}
	for range 3 {
		run() // weights are packed in the second
	}
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(tokens*b.N)/b.Elapsed().Seconds(), "tokens/s")
	b.ReportMetric(float64(bytes)/1e6, "MB-parameters")
	f, err := p.Footprint(map[string]int{"new": tokens})
	require.NoError(b, err)
	b.ReportMetric(float64(f.Arena)/1e6, "MB-arena")
}
