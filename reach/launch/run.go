package launch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// statusPeer is the exit status of a process that ends because another one has.
const statusPeer = 3

// Run runs an exported program on this machine. It starts the processes, reports their progress, and returns when all
// have ended. The error is the launcher's message about the first one that failed. When ctx ends, so do the processes;
// they also end if this process is killed.
func Run(ctx context.Context, c Config) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Python == "" {
		python, err := FindPython(ctx)
		if err != nil {
			return err
		}
		c.Python = python
	}
	folder, err := os.MkdirTemp("", "broadloom-launch-")
	if err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	defer os.RemoveAll(folder)
	script := filepath.Join(folder, "launch.py")
	if err := os.WriteFile(script, Script, 0o600); err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	coordinator := ""
	if c.Processes > 1 {
		if coordinator, err = freeAddress(ctx); err != nil {
			return fmt.Errorf("launch: %w", err)
		}
	}
	return c.runAll(ctx, script, coordinator)
}

// runAll starts all processes and waits for them. The first that fails ends the others.
func (c Config) runAll(ctx context.Context, script, coordinator string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	count := max(c.Processes, 1)
	ended := make(chan failure, count)
	for i := range count {
		go func() { ended <- c.runOne(ctx, script, coordinator, i) }()
	}
	var first failure
	for range count {
		f := <-ended
		if f.err == nil {
			continue
		}
		if first.err == nil || first.ofPeer && !f.ofPeer {
			first = f
		}
		time.AfterFunc(grace, stop) // the others find out by themselves, and then say so
	}
	return first.err
}

// grace is how long processes have to end by themselves after one has failed.
const grace = 5 * time.Second

// failure is why a process ended.
type failure struct {
	err    error
	ofPeer bool // because another one ended
}

func (c Config) runOne(ctx context.Context, script, coordinator string, i int) failure {
	var said tail
	cmd := exec.CommandContext(ctx, c.Python, c.arguments(script, coordinator, i)...)
	cmd.Stderr, cmd.WaitDelay = &said, grace
	alive, err := cmd.StdinPipe() // it ends with this process, whatever ends it
	if err != nil {
		return failure{err: fmt.Errorf("launch: %w", err)}
	}
	defer alive.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return failure{err: fmt.Errorf("launch: %w", err)}
	}
	if err := cmd.Start(); err != nil {
		return failure{err: fmt.Errorf("launch: %w", err)}
	}
	readProgress(out, c.OnStep)
	err = cmd.Wait()
	var status *exec.ExitError
	switch {
	case err == nil:
		return failure{}
	case ctx.Err() != nil:
		return failure{fmt.Errorf("launch: process %d was stopped: %w", i, context.Cause(ctx)), true}
	case !errors.As(err, &status):
		return failure{err: fmt.Errorf("launch: process %d: %w", i, err)}
	}
	text := said.message()
	if text == "" {
		text = err.Error()
	}
	return failure{fmt.Errorf("launch: process %d: %s", i, text), status.ExitCode() == statusPeer}
}

// freeAddress returns an address of this machine at which nothing listens now.
func freeAddress(ctx context.Context) (string, error) {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
