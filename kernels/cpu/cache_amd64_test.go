package cpu

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// report is a processor's answers: registers by leaf and sub-leaf.
type report map[[2]uint32][4]uint32

func (r report) cpuid(leaf, sub uint32) (a, b, c, d uint32) {
	v := r[[2]uint32{leaf, sub}]
	return v[0], v[1], v[2], v[3]
}

// cacheOf is the form in which a leaf describes a cache with lines of 64 bytes.
func cacheOf(kind, level, ways, sets uint32) [4]uint32 {
	return [4]uint32{kind | level<<5, 63 | (ways-1)<<22, sets - 1, 0}
}

// Reports of processors of several makers and years are understood.
func TestCachesOfOtherProcessors(t *testing.T) {
	sapphireRapids := report{{0, 0}: {0x20}, {4, 0}: cacheOf(1, 1, 12, 64), {4, 1}: cacheOf(2, 1, 8, 64),
		{4, 2}: cacheOf(3, 2, 16, 2048), {4, 3}: cacheOf(3, 3, 15, 114688)}
	zen3 := report{{0, 0}: {0x10}, {leafExtended, 0}: {0x8000_0023}, {leafFeatures, 0}: {0, 0, bitCachesAMD, 0},
		{leafCachesAMD, 0}: cacheOf(1, 1, 8, 64), {leafCachesAMD, 1}: cacheOf(2, 1, 8, 64),
		{leafCachesAMD, 2}: cacheOf(3, 2, 8, 1024), {leafCachesAMD, 3}: cacheOf(3, 3, 16, 32768)}
	for name, c := range map[string]struct {
		report report
		want   hierarchy
	}{
		"Sapphire Rapids": {sapphireRapids, hierarchy{{48 << 10, 12}, {2 << 20, 16}, {105 << 20, 15}}},
		"Zen 3":           {zen3, hierarchy{{32 << 10, 8}, {512 << 10, 8}, {32 << 20, 16}}},
		"no such leaf":    {report{{0, 0}: {2}}, common},
		"nothing there":   {report{{0, 0}: {0x20}}, common},
	} {
		require.Equal(t, c.want, leaves(c.report.cpuid).caches(), name)
	}
	require.Equal(t, 4096, Cache{48 << 10, 12}.WayBytes())
}

// TestCachesAgreeWithKernel compares with Linux's description of the first processor.
func TestCachesAgreeWithKernel(t *testing.T) {
	read := func(index int, name string) string {
		text, _ := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name))
		return strings.TrimSpace(string(text))
	}
	seen := 0
	for index := range 8 {
		var level, size, ways int
		_, err := fmt.Sscan(read(index, "level")+" "+strings.TrimSuffix(read(index, "size"), "K")+" "+
			read(index, "ways_of_associativity"),
			&level, &size, &ways)
		if kind := read(index, "type"); err != nil || kind == "Instruction" || level < 1 || level > 3 {
			continue
		}
		seen++
		require.Equal(t, Cache{size << 10, ways}, Data(level), "level %d", level)
	}
	if seen == 0 {
		t.Skip("this system does not tell")
	}
}
