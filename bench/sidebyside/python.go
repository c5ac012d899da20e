package sidebyside

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

//go:embed peer.py
var script []byte

// answers is the end of a program whose function prepare answers requests.
//
//go:embed answers.py
var answers []byte

// Python is a side in a separate Python program. It waits until it is called, and after a sample it is stopped until
// the next call.
type Python struct {
	command *exec.Cmd
	file    string
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  bytes.Buffer
	stopped bool
}

// StartPython starts an interpreter, or a program that runs a file in one, with the program of
// products and convolutions, which then computes on at most so many threads.
func StartPython(ctx context.Context, interpreter string, threads int) (*Python, error) {
	return StartScript(ctx, interpreter, threads, script)
}

// StartAnswering is StartPython with another program, which has a function prepare(request). That returns the call to
// time, an answer, and arrays that follow it. If it fails, the answer is {"cannot": why}.
func StartAnswering(ctx context.Context, interpreter string, threads int, script []byte) (*Python, error) {
	return StartScript(ctx, interpreter, threads, slices.Concat(script, answers))
}

// StartScript is StartPython with another program that answers requests.
func StartScript(ctx context.Context, interpreter string, threads int, script []byte) (*Python, error) {
	file, err := os.CreateTemp("", "peer-*.py")
	if err != nil {
		return nil, err
	}
	_, err = file.Write(script)
	if err = firstOf(err, file.Close()); err != nil {
		os.Remove(file.Name())
		return nil, err
	}
	p := &Python{file: file.Name(), command: exec.CommandContext(ctx, interpreter, file.Name())}
	p.command.Env = append(os.Environ(),
		fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", threads), fmt.Sprintf("OMP_NUM_THREADS=%d", threads),
		fmt.Sprintf("BENCH_THREADS=%d", threads),
		// A malloc that keeps large blocks, as Go's heap does.
		"MALLOC_TRIM_THRESHOLD_=4294967296", "MALLOC_MMAP_THRESHOLD_=4294967296", "MALLOC_TOP_PAD_=536870912")
	p.command.Stderr = &p.stderr
	inGroup(p.command)
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		os.Remove(p.file)
		return nil, err
	}
	return p, nil
}

// answer is the program's answer to a request.
type answer struct{ Check, Seconds float64 }

// ask sends a request and waits for the answer.
func (p *Python) ask(request any) (answer, error) {
	var a answer
	err := p.Ask(request, &a)
	return a, err
}

// Ask sends a request, as a line, with the bytes that follow it, and reads the line of the
// answer into a value.
func (p *Python) Ask(request, answer any, payload ...[]byte) error {
	p.resume()
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	for _, part := range append([][]byte{append(line, '\n')}, payload...) {
		if err == nil {
			_, err = p.in.Write(part)
		}
	}
	var text []byte
	if err == nil {
		text, err = p.out.ReadBytes('\n')
	}
	if err != nil {
		err = firstOf(p.Close(), err)
		lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
		return fmt.Errorf("%s: %w: %s", p.command.Path, err, lines[len(lines)-1])
	}
	return json.Unmarshal(text, answer)
}

// Read fills a slice with bytes that follow the latest answer.
func (p *Python) Read(into []byte) error {
	_, err := io.ReadFull(p.out, into)
	return err
}

// Prepare prepares a task, and returns the mean magnitude of its result.
func (p *Python) Prepare(task Request) (check float64, err error) {
	a, err := p.ask(task)
	return a.Check, err
}

// Time implements Side: by the program's own clock. Threads of a library that wait for work by asking
// for it again and again would take processors from the side that is next, so all are stopped.
func (p *Python) Time(calls int) (time.Duration, error) {
	a, err := p.ask(map[string]int{"calls": calls})
	if err == nil {
		p.stopped = send(p.command, stop)
	}
	return time.Duration(a.Seconds * float64(time.Second)), err
}

// resume continues a stopped program.
func (p *Python) resume() {
	if p.stopped {
		p.stopped = !send(p.command, goOn)
	}
}

// Close ends the program, if it still runs.
func (p *Python) Close() error {
	if p.command.ProcessState != nil {
		return nil
	}
	p.resume()
	p.in.Close()
	return firstOf(p.command.Wait(), os.Remove(p.file))
}

// firstOf returns the first error that is one.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
