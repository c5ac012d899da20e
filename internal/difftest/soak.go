package difftest

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// Soak compiles random programs and runs them at changing sizes, each in separate sessions on 1, 2 and 8 threads, until
// it has done the requested number of both. It reports memory ten times to out, and fails if memory has grown from the
// middle to the end.
func Soak(programs, runs int, out func(string)) error {
	each := runs/programs + 1
	var middle held
	done, ran := 0, 0
	for seed := uint64(0); done < programs; seed++ {
		n := soakOne(seed, each)
		if n == 0 {
			continue
		}
		done, ran = done+1, ran+n
		if done%max(programs/10, 1) == 0 {
			now := measure()
			out(fmt.Sprintf("%d programs, %d runs: %s", done, ran, now))
			if done*2 >= programs && middle == (held{}) {
				middle = now
			}
		}
	}
	return measure().grownFrom(middle, programs-programs/2)
}

// soakOne compiles a program and runs it some times. It returns how often; 0 if all runs are refused.
func soakOne(seed uint64, runs int) (ran int) {
	p := Generate(seed)
	v := Verdict{Seed: seed}
	c := &checker{p: p, v: &v, rng: newRand(seed)}
	if !c.compile() {
		return 0
	}
	for ran < runs {
		for k := range p.Bindings {
			c.v.Binding = k
			if !c.told() {
				c.open()
			}
			c.directions()
			for _, s := range c.sessions {
				if _, err := c.run(s, false); err != nil {
					return 0
				}
				ran++
			}
		}
	}
	return ran
}

// held is the memory and other resources that a process holds.
type held struct {
	heap, resident    uint64 // bytes
	goroutines, files int
	maps              int // mappings of memory
}

// measure collects garbage and returns what is still held.
func measure() (h held) {
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.heap, h.goroutines = m.HeapAlloc, runtime.NumGoroutine()
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
				kb, _ := strconv.ParseUint(fields[1], 10, 64)
				h.resident = kb << 10
			}
		}
	}
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.files = len(list)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		h.maps = strings.Count(string(maps), "\n")
	}
	return h
}

func (h held) String() string {
	return fmt.Sprintf("heap %.1f MB, resident %.1f MB, %d goroutines, %d files, %d mappings",
		float64(h.heap)/1e6, float64(h.resident)/1e6, h.goroutines, h.files, h.maps)
}

// sizesOfProgram bounds the bytes that a random program adds to the table of size expressions, which a process keeps.
// Nothing else of a program is kept, except in caches of bounded size.
const sizesOfProgram = 1 << 10

// grownFrom reports what has grown since a number of programs ago: the heap by more than their size expressions and a
// full cache, the rest by more than a tenth and some slack.
func (h held) grownFrom(was held, programs int) error {
	if most := was.heap + uint64(programs)*sizesOfProgram + 1<<20; h.heap > most {
		return fmt.Errorf("bytes of heap grew from %d to %d, which is more than %d", was.heap, h.heap, most)
	}
	for _, x := range []struct {
		name           string
		was, is, slack uint64
	}{
		{"resident bytes", was.resident, h.resident, 32 << 20},
		{"goroutines", uint64(was.goroutines), uint64(h.goroutines), 8},
		{"files", uint64(was.files), uint64(h.files), 2},
		{"mappings", uint64(was.maps), uint64(h.maps), 32},
	} {
		if x.is > x.was+x.was/10+x.slack {
			return fmt.Errorf("%s grew from %d to %d", x.name, x.was, x.is)
		}
	}
	return nil
}
