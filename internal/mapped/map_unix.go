//go:build unix && !solaris && !aix

package mapped

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file for reading. It returns nil if the system refuses.
func mapFile(file *os.File, size int) ([]byte, func() error) {
	data, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil
	}
	return data, func() error { return unix.Munmap(data) }
}
