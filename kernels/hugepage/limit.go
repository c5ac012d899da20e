package hugepage

import (
	"fmt"
	"math"
	"sync"
)

// probed is the size from which Check asks the system. Go allocates smaller memory.
const probed = 64 << 20

// Check reports why there cannot be memory of a number of bytes: Go ends a process that asks for more than the system
// has. Memory that is in use at the moment does not count, as it may be free later.
func Check(n int) error {
	if limit, of := limit(); n > limit {
		return fmt.Errorf("%s has %s", of, Bytes(limit))
	}
	if n >= probed && !probe(n) {
		return fmt.Errorf("the system does not give the process as much")
	}
	return nil
}

// limit is the memory of the machine or of the process's control group, if known.
var limit = sync.OnceValues(func() (n int, of string) {
	if n, of = systemLimit(); n > 0 {
		return n, of
	}
	return math.MaxInt, ""
})

// Bytes writes a number of bytes in the largest binary unit that it fills.
func Bytes(n int) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	unit, v := 0, float64(n)
	for v >= 1024 && unit < len(units)-1 {
		unit, v = unit+1, v/1024
	}
	if unit == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[unit])
}
