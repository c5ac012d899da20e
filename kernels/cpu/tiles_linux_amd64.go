package cpu

import "syscall"

// askForTiles asks Linux to save the tile registers of the process's threads (arch_prctl(2), ARCH_REQ_XCOMP_PERM; Linux
// 5.16). It refuses if the signal stack has no room for them.
func askForTiles() bool {
	const request, tileData = 0x1023, 18
	_, _, failed := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, request, tileData, 0)
	return failed == 0
}
