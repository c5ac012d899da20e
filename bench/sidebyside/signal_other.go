//go:build !unix

package sidebyside

import "os/exec"

// There are no signals that stop and continue a program.
const (
	stop = iota
	goOn
)

// inGroup leaves a program in the group of processes of the one that starts it.
func inGroup(*exec.Cmd) {}

// send reports that programs cannot be stopped.
func send(*exec.Cmd, int) bool { return false }
