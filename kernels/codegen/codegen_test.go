package codegen

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/internal/testkit/rowtest"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// listing disassembles code.
func listing(t *testing.T, c *Code) (lines []string) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump is not installed")
	}
	file := filepath.Join(t.TempDir(), "code")
	require.NoError(t, os.WriteFile(file, c.Bytes[:c.Length], 0o600))
	out, err := exec.Command(objdump, "-D", "-w", "-b", "binary", "-m", "i386:x86-64", "-M", "intel",
		"--no-show-raw-insn", file).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		if f := strings.SplitN(strings.TrimSpace(line), "\t", 2); len(f) == 2 && strings.HasSuffix(f[0], ":") {
			lines = append(lines, f[1])
		}
	}
	return lines
}

var forbidden = regexp.MustCompile(`\b([re]?sp|[re]?bp|bad|push|pop|call|syscall)\b`)

// TestCodeKeepsTheRules checks that no code moves the stack pointer, touches RBP, calls or cannot be decoded, and that
// the only way out clears the vector registers.
func TestCodeKeepsTheRules(t *testing.T) {
	for seed := range uint64(30) {
		p := rowtest.Program(rand.New(rand.NewPCG(seed, 5)))
		for _, target := range []Target{AVX2, AVX512} {
			c, err := Compile(p, target)
			if err != nil {
				continue
			}
			lines := listing(t, c)
			exits := 0
			for i, line := range lines {
				require.NotRegexp(t, forbidden, line, "seed %d", seed)
				if strings.HasPrefix(line, "ret") {
					exits++
					require.Contains(t, lines[i-1], "vzeroupper")
				}
			}
			require.Equal(t, 1, exits, "seed %d", seed)
		}
	}
}

// TestWhatIsRefused lists the single primitives that have no machine code.
func TestWhatIsRefused(t *testing.T) {
	var refused []string
	for _, op := range rowprog.Primitives() {
		for _, typ := range []rowprog.Type{rowprog.Bool, rowprog.I32, rowprog.I64, rowprog.F32, rowprog.F64} {
			if !op.Accepts(typ) || op == rowprog.OpConvert {
				continue
			}
			b := rowprog.NewBuilder(op.String(), 0)
			x := make([]rowprog.Value, op.Arity())
			for i := range x {
				t := typ
				if op == rowprog.OpSelect && i == 0 {
					t = rowprog.Bool
				}
				x[i] = b.Load(b.In("x", t, rowprog.Vec))
			}
			y := b.Apply(op, x...)
			b.Store(b.Out("y", b.TypeOf(y), rowprog.Vec), y)
			p, err := b.Build()
			require.NoError(t, err)
			for _, target := range []Target{AVX2, AVX512} {
				if _, err := Compile(p, target); err != nil && target == AVX2 {
					refused = append(refused, strings.TrimPrefix(err.Error(), "codegen: no machine code for "))
				} else if err != nil {
					require.Contains(t, refused, strings.TrimPrefix(err.Error(), "codegen: no machine code for "))
				}
			}
		}
	}
	require.Empty(t, refused)
}

// TestPartialResultsAreWrittenWhole checks that the last elements of a row store partial results as whole vectors,
// which the fold reads: it would have to wait for a masked store to reach the cache.
func TestPartialResultsAreWrittenWhole(t *testing.T) {
	for _, typ := range []rowprog.Type{rowprog.F32, rowprog.F64, rowprog.I64} {
		for _, reduction := range []rowprog.Reduction{rowprog.Sum, rowprog.Max} {
			b := rowprog.NewBuilder("fold", 0)
			r := b.Reduce(reduction, b.Load(b.In("x", typ, rowprog.Vec)))
			b.Store(b.Out("y", typ, rowprog.Row), r)
			p, err := b.Build()
			require.NoError(t, err)
			for _, target := range []Target{AVX2, AVX512} {
				c, err := Compile(p, target)
				require.NoError(t, err)
				for _, line := range listing(t, c) {
					require.NotRegexp(t, `\]\{k\d\},|^vmaskmov\w+ +\w+ PTR`, line, "%v of %v", reduction, typ)
				}
			}
		}
	}
}

// AVX-512 has an instruction that converts between integers of 64 bits and floating-point numbers.
func TestWideIntegersAreConvertedByAnInstruction(t *testing.T) {
	for _, tt := range []struct {
		from, to    rowprog.Type
		instruction string
	}{
		{rowprog.I64, rowprog.F64, "vcvtqq2pd"}, {rowprog.I64, rowprog.F32, "vcvtqq2ps"},
		{rowprog.F64, rowprog.I64, "vcvttpd2qq"}, {rowprog.F32, rowprog.I64, "vcvttpd2qq"},
	} {
		b := rowprog.NewBuilder("convert", 1)
		b.Store(b.Out("y", tt.to, rowprog.Vec), b.Convert(b.Load(b.In("x", tt.from, rowprog.Vec)), tt.to))
		p, err := b.Build()
		require.NoError(t, err)
		c, err := Compile(p, AVX512)
		require.NoError(t, err)
		require.Contains(t, strings.Join(listing(t, c), "\n"), tt.instruction, "%v to %v", tt.from, tt.to)
	}
}
