package main

import (
	"strings"
	"testing"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/bench/suite"
)

// TestGroupsHaveMeansOfTheirOwn expects one mean for the workloads of the main group and one for more models, and
// rows that no peer was measured in to count in neither.
func TestGroupsHaveMeansOfTheirOwn(t *testing.T) {
	var out strings.Builder
	r := newReport(&out, peers[:1])
	for name, theirs := range map[string]measurement{
		"matmul_256_fwd":  {Timing: sidebyside.Timing{Min: 2, Median: 2}},
		"matmul_1024_fwd": {Timing: sidebyside.Timing{Min: 8, Median: 8}},
		"unet_b4_64_sgd":  {Timing: sidebyside.Timing{Min: 3, Median: 3}},
		"vae_b64_28_sgd":  {missing: unable{reason: "no"}},
	} {
		w, ok := suite.Lookup(name)
		if !ok {
			t.Fatalf("no workload %s", name)
		}
		r.add(w, []measurement{{Timing: sidebyside.Timing{Min: 1, Median: 1}}, theirs})
	}
	r.end()
	for _, want := range []string{"Geometric mean of 2 ratios of medians: 4.00.\n",
		"Geometric mean of 1 ratios of medians of more models: 3.00.\n", "| – | – | – |\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
}
