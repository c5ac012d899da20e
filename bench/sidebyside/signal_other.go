//go:build !unix

package sidebyside

import "os/exec"

// The signals that stop a program and let it go on, of which there are none.
const (
	stop = iota
	goOn
)

// inGroup leaves a program in the group of processes of the one that starts it.
func inGroup(*exec.Cmd) {}

// send reports that programs cannot be stopped.
func send(*exec.Cmd, int) bool { return false }
