//go:build unix

package sidebyside

import (
	"os/exec"
	"syscall"
)

// The signals that stop a program and let it go on.
const (
	stop = syscall.SIGSTOP
	goOn = syscall.SIGCONT
)

// inGroup has a program, with those that it starts, in a group of processes of its own.
func inGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}

// send sends a signal to a program and those that it has started, and reports whether it could.
func send(c *exec.Cmd, s syscall.Signal) bool { return syscall.Kill(-c.Process.Pid, s) == nil }
