package svg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// worker is the name under which a program that links this package draws.
const worker = "broadloom-viz-svg"

func init() {
	if len(os.Args) == 1 && os.Args[0] == worker {
		os.Exit(work(os.Stdin, os.Stdout, os.Stderr))
	}
}

// Render lays out a graph in Graphviz's language and draws it as SVG. It stops when ctx ends.
func Render(ctx context.Context, dot []byte) (picture []byte, err error) {
	path, err := program()
	if err != nil {
		return nil, fmt.Errorf("svg: finding the program itself: %w", err)
	}
	return renderIn(ctx, path, dot)
}

// renderIn draws in a process of a program that links this package.
func renderIn(ctx context.Context, path string, dot []byte) ([]byte, error) {
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, path)
	cmd.Args = []string{worker}
	cmd.WaitDelay = time.Second
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(dot), &out, &complaints
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("svg: Graphviz was stopped: %w", ctx.Err())
		}
		if code := (&exec.ExitError{}); errors.As(err, &code) && code.ExitCode() == failed {
			return nil, errors.New("svg: " + strings.TrimSpace(complaints.String()))
		}
		first, _, _ := strings.Cut(complaints.String(), "\n")
		return nil, fmt.Errorf("svg: Graphviz ended its process: %w: %s", err, first)
	}
	return out.Bytes(), nil
}

// program returns the file of this program.
func program() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil // also where the file has been removed
	}
	return os.Executable()
}
