//go:build unix

package sidebyside

import (
	"os/exec"
	"syscall"
)

// The signals that stop and continue a program.
const (
	stop = syscall.SIGSTOP
	goOn = syscall.SIGCONT
)

// inGroup puts a program, and those that it starts, in a separate process group.
func inGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}

// send sends a signal to a program and those that it has started, and reports whether it could.
func send(c *exec.Cmd, s syscall.Signal) bool { return syscall.Kill(-c.Process.Pid, s) == nil }
