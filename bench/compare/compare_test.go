package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const torch = `loading
{"peer": "torch-2.6.0", "mode": "eager", "threads": 1, "name": "softmax_1024_fwd", "ms": 0.8, "min_ms": 0.7, "first_s": 0.1}
{"peer": "torch-2.6.0", "mode": "compile", "threads": 1, "name": "softmax_1024_fwd", "ms": 0.6, "min_ms": 0.5, "first_s": 9.1}
{"peer": "torch-2.6.0", "mode": "eager", "threads": 1, "name": "chain_64_fwd", "ms": 0.0153, "min_ms": 0.015, "first_s": 0.1}
{"peer": "torch", "mode": "compile", "name": "chain_64_fwd", "error": "no"}
{"peer": "torch-2.6.0", "mode": "eager", "threads": 2, "name": "add_16M_fwd", "ms": 5.2, "min_ms": 5, "first_s": 0.1}
`

const ours = `{"peer":"broadloom","mode":"avx2","threads":1,"name":"softmax_1024_fwd","ms":0.3,"min_ms":0.25,"first_s":0.001,"allocs":0,"bytes":0,"check":2}
{"peer":"broadloom","mode":"avx2","threads":1,"name":"chain_64_fwd","ms":0.0017,"min_ms":0.0016,"first_s":0.001,"allocs":0,"bytes":0,"check":1}
{"peer":"broadloom","mode":"avx2","threads":1,"name":"chain_64_fwd","ms":0.0018,"min_ms":0.0016,"first_s":0.001,"allocs":0,"bytes":0,"check":1}
{"peer":"broadloom","mode":"avx2","threads":1,"name":"chain_64_fwd","ms":0.9,"min_ms":0.0016,"first_s":0.001,"allocs":0,"bytes":0,"check":1}
{"peer":"gomlx","mode":"go","threads":1,"name":"softmax_1024_fwd","ms":9,"min_ms":8,"first_s":0.001,"allocs":7,"bytes":9,"check":2.1}
{"peer":"gomlx","mode":"go","threads":1,"name":"chain_64_fwd","error":"no result after 1m0s"}
`

const want = `### 1 thread

| workload | torch-2.6.0 eager | torch-2.6.0 compile | gomlx go | broadloom avx2 | torch ÷ avx2 | gomlx ÷ avx2 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| chain_64_fwd | 0.0153 | – | error | 0.00180 | 8.5 | – |
| softmax_1024_fwd | 0.800 | 0.600 | 9.00 | 0.300 | 2.0 | 30 |
| **geometric mean** |  |  |  |  | **4.1** | **30** (of 1) |

- gomlx go, chain_64_fwd: no result after 1m0s
- **results differ** on softmax_1024_fwd: gomlx 2.1, broadloom 2

### 2 threads

| workload | torch-2.6.0 eager |
| --- | ---: |
| add_16M_fwd | 5.20 |

`

func TestTables(t *testing.T) {
	var out strings.Builder
	if err := run(&out, []string{file(t, torch), file(t, ours)}, "broadloom", false); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestLeastTimes(t *testing.T) {
	var out strings.Builder
	if err := run(&out, []string{file(t, torch), file(t, ours)}, "broadloom", true); err != nil {
		t.Fatal(err)
	}
	const row = "| softmax_1024_fwd | 0.700 | 0.500 | 8.00 | 0.250 | 2.0 | 32 |"
	if !strings.Contains(out.String(), row) {
		t.Errorf("no row %q in:\n%s", row, out.String())
	}
}

func TestNothingToRead(t *testing.T) {
	var out strings.Builder
	if run(&out, nil, "broadloom", false) == nil {
		t.Error("no files, no error")
	}
	err := run(&out, []string{file(t, "{broken}\n")}, "broadloom", false)
	if err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a broken file gave %v", err)
	}
}

// TestGroupsHaveMeansOfTheirOwn expects the mean of a table without further models to stay as it is beside them.
func TestGroupsHaveMeansOfTheirOwn(t *testing.T) {
	const more = `{"peer": "torch", "mode": "eager", "threads": 1, "name": "unet_b4_64_sgd", "ms": 7, "min_ms": 7}
{"peer": "broadloom", "mode": "avx2", "threads": 1, "name": "unet_b4_64_sgd", "ms": 2, "min_ms": 2}
{"peer": "torch", "mode": "eager", "threads": 1, "name": "softmax_1024_fwd", "ms": 4, "min_ms": 4}
{"peer": "broadloom", "mode": "avx2", "threads": 1, "name": "softmax_1024_fwd", "ms": 2, "min_ms": 2}
`
	const want = `| softmax_1024_fwd | 4.00 | 2.00 | 2.0 |
| unet_b4_64_sgd | 7.00 | 2.00 | 3.5 |
| **geometric mean** |  |  | **2.0** |
| **geometric mean of more models** |  |  | **3.5** |
`
	var out strings.Builder
	if err := run(&out, []string{file(t, more)}, "broadloom", false); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), want) {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

// file writes a file of records.
func file(t *testing.T, content string) string {
	name := filepath.Join(t.TempDir(), "records.jsonl")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
