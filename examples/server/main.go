// Command server trains a model that reads handwritten digits and serves it over HTTP. Requests that
// arrive together are answered by one run.
//
//	go run ./examples/server
//	curl localhost:8080/predict -d '{"image": [0, 0, 0.3, …]}'
//
// model.go has the model, batcher.go groups requests, and handler.go handles HTTP.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/broadloom/broadloom/examples/internal/cli"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/weights"
)

func main() { cli.Main("server", run) }

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var address, file string
	var sessions, most int
	var delay time.Duration
	if err := cli.Parse("server", args, func(f *flag.FlagSet) {
		f.StringVar(&address, "address", "localhost:8080", "`address` to listen on")
		f.StringVar(&file, "weights", "", "`file` of parameters, instead of training")
		f.IntVar(&sessions, "sessions", runtime.GOMAXPROCS(0), "`runs` at a time")
		f.IntVar(&most, "batch", 32, "`requests` of a run at most")
		f.DurationVar(&delay, "delay", 2*time.Millisecond, "for `how long` a request waits for others")
	}); err != nil {
		return err
	}
	m := newModel()
	trained, err := m.parameters(ctx, file)
	if err != nil {
		return err
	}
	b, err := newBatcher(m, trained, sessions, most, delay)
	if err != nil {
		return err
	}
	defer b.close()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "listening on http://%s\n", listener.Addr())
	return serve(ctx, listener, b)
}

// parameters returns a session that has learned, or that has read its parameters from a file.
func (m *model) parameters(ctx context.Context, file string) (*exec.Session, error) {
	if file == "" {
		return m.train(ctx, 20)
	}
	prog, err := exec.Compile(m.graph, exec.Outputs(m.probabilities))
	if err != nil {
		return nil, err
	}
	session := prog.NewSession()
	_, err = weights.LoadFile(session, file)
	return session, err
}

// serve answers requests until ctx is done, and then those that have already arrived.
func serve(ctx context.Context, listener net.Listener, b *batcher) error {
	server := &http.Server{Handler: newHandler(b), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second}
	server.RegisterOnShutdown(b.hasten)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return err
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
