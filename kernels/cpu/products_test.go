package cpu

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The detected instructions agree with the flags that Linux reports.
func TestProductsAgreeWithKernel(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || Machine() == Portable {
		t.Skip("this system does not tell")
	}
	has := func(flag string) bool { return strings.Contains(string(text), " "+flag+" ") }
	require.Equal(t, Products{}, ProductsOf(Portable))
	require.Equal(t, has("avx_vnni"), ProductsOf(AVX2).Dots)
	if Machine() == AVX512 {
		require.Equal(t, has("avx512_vnni"), ProductsOf(AVX512).Dots)
		require.Equal(t, has("avx512_bf16"), ProductsOf(AVX512).BFloat16Dots)
		require.False(t, ProductsOf(AVX512).Tiles && !has("amx_int8"))
	}
}
