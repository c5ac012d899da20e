package hugepage

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// probe reports whether the system maps n bytes, which are not touched.
func probe(n int) bool {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	_ = syscall.Munmap(b)
	return true
}

// systemLimit is the memory of the machine, or of a control group if that is less. Swap space counts in both.
func systemLimit() (n int, of string) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, ""
	}
	swap := meminfo(string(text), "SwapTotal:")
	n, of = meminfo(string(text), "MemTotal:")+swap, "the machine"
	for _, file := range groupLimits() {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if v, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && v <= n-swap { // "max" for none
			n, of = v+swap, "the process's control group"
		}
	}
	return n, of
}

// meminfo returns the number of bytes in a line.
func meminfo(text, name string) int {
	_, rest, _ := strings.Cut(text, name)
	if fields := strings.Fields(rest); len(fields) > 0 {
		n, _ := strconv.Atoi(fields[0])
		return n << 10
	}
	return 0
}

// groupLimits lists the files that limit the memory of the process's control groups, for both versions; some may not
// exist.
func groupLimits() (files []string) {
	text, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max"
		switch {
		case parts[1] == "memory":
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		case parts[1] != "":
			continue
		}
		for dir := parts[2]; ; dir = filepath.Dir(dir) {
			files = append(files, filepath.Join(root, dir, file))
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	return files
}
