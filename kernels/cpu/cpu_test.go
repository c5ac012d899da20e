package cpu

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChoose(t *testing.T) {
	require.Equal(t, AVX2, choose(AVX512, "avx2"))
	require.Equal(t, AVX512, choose(AVX512, ""))
	require.Equal(t, AVX512, choose(AVX512, "neon"))
	require.Equal(t, AVX2, choose(AVX2, "avx512"), "no more than the machine has")
	require.Equal(t, Portable, choose(AVX2, "portable"))
}

// TestMachineAgreesWithKernel compares with Linux's description of the processor.
func TestMachineAgreesWithKernel(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if runtime.GOARCH != "amd64" {
		t.Skip("the machine code is for amd64")
	}
	if err != nil || !strings.Contains(string(info), "flags") {
		t.Skip("no flags in /proc/cpuinfo")
	}
	has := func(flags string) bool {
		for _, f := range strings.Fields(flags) {
			if !strings.Contains(string(info), " "+f) {
				return false
			}
		}
		return true
	}
	want := Portable
	if has("avx2 fma bmi1 bmi2") {
		want = AVX2
		if has("avx512f avx512dq avx512bw avx512vl") {
			want = AVX512
		}
	}
	require.Equal(t, want, Machine())
}

func TestAllowsJIT(t *testing.T) {
	for _, system := range []string{"linux", "windows", "freebsd"} {
		require.True(t, allowsJIT(system, ""))
		require.True(t, allowsJIT(system, "1"))
		require.False(t, allowsJIT(system, "0"))
	}
	require.False(t, allowsJIT("darwin", ""), "untested: only if asked for")
	require.True(t, allowsJIT("darwin", "1"))
	require.False(t, allowsJIT("darwin", "0"))
}

// An invalid value is reported together with the valid ones.
func TestSetting(t *testing.T) {
	for value, want := range map[string]string{"": "", "0": "", "1": "",
		"maybe": `the environment variable BROADLOOM_JIT is "maybe", and it must be one of 0, 1, or not set`} {
		t.Setenv("BROADLOOM_JIT", value)
		if err := Setting("BROADLOOM_JIT", "0", "1"); want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}
