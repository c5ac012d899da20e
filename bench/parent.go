package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/broadloom/broadloom/bench/record"
	"github.com/broadloom/broadloom/bench/suite"
)

// errorLength bounds the text of an error in a record.
const errorLength = 200

// parent measures every workload with every library, one process at a time.
func parent(ctx context.Context, opts options, out io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, p := range opts.peers {
		for _, w := range opts.workloads {
			rec, err := spawn(ctx, self, opts, p, w)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				rec = blank(opts, p, w)
				rec.Error = shorten(err.Error())
			}
			if err := rec.Write(out); err != nil {
				return err
			}
		}
	}
	return nil
}

// blank is a record that says what is measured, without a result.
func blank(opts options, p suite.Peer, w suite.Workload) record.Record {
	return record.Record{Peer: p.Name(), Mode: p.Mode(opts.config), Threads: opts.config.Threads, Name: w.Name}
}

// spawn measures one workload in a separate process, and waits no longer than the time-out.
func spawn(ctx context.Context, self string, opts options, p suite.Peer, w suite.Workload) (record.Record, error) {
	limit := opts.timeout + opts.minTime
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	cmd := exec.CommandContext(limited, self, opts.childArgs(p, w)...)
	// Set at the start of the process, since libraries read it in their init.
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", opts.config.Threads))
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := cmd.Run()

	if errors.Is(limited.Err(), context.DeadlineExceeded) {
		return record.Record{}, fmt.Errorf("no result after %v", limit)
	}
	if runErr != nil {
		return record.Record{}, fmt.Errorf("%w: %s", runErr, reason(stderr.String()))
	}
	records, err := record.Read(&stdout)
	if err != nil {
		return record.Record{}, err
	}
	if len(records) != 1 {
		return record.Record{}, fmt.Errorf("the process printed %d records", len(records))
	}
	return records[0], nil
}

// reason finds the line that says why a process ended: that of a panic or of a
// fatal error, else the last.
func reason(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
	}
	return lines[len(lines)-1]
}

// shorten makes one short line of an error's text.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > errorLength {
		text = text[:errorLength] + "…"
	}
	return text
}
