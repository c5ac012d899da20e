package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/broadloom/broadloom/exec"
)

// errStopped is the answer to requests that arrive after shutdown.
var errStopped = errors.New("the server is shutting down")

// request is an image that is waiting for its answer.
type request struct {
	ctx    context.Context
	image  []float32
	answer chan answer // with room for one
}

// answer is the probability of each class, or the reason why there is none.
type answer struct {
	probabilities []float32
	err           error
}

// batcher answers requests together: a run of the program takes all waiting ones. Several sessions run
// concurrently and read the same parameters.
type batcher struct {
	model   *model
	most    int           // maximum number of requests in a run
	delay   time.Duration // how long the first request of a run waits for others
	queue   chan *request
	hurry   chan struct{} // closed: no run waits for others
	stop    chan struct{} // closed: no new requests
	stopped chan struct{} // closed: all sessions have ended
	hasten  func()
	end     func()
}

// newBatcher starts the given number of sessions that read the parameters of a trained one.
func newBatcher(m *model, trained *exec.Session, sessions, most int, delay time.Duration) (*batcher, error) {
	prog, err := exec.Compile(m.graph, exec.Outputs(m.probabilities))
	if err != nil {
		return nil, err
	}
	b := &batcher{model: m, most: most, delay: delay, queue: make(chan *request, sessions*most),
		hurry: make(chan struct{}), stop: make(chan struct{}), stopped: make(chan struct{})}
	b.hasten, b.end = sync.OnceFunc(func() { close(b.hurry) }), sync.OnceFunc(func() { close(b.stop) })
	var running sync.WaitGroup
	for range sessions {
		session := prog.NewSession(exec.ShareParams(trained))
		running.Go(func() { b.serve(session) })
	}
	go func() {
		running.Wait()
		close(b.stopped)
	}()
	return b, nil
}

// close answers waiting requests, and returns when all sessions have ended.
func (b *batcher) close() {
	b.hasten()
	b.end()
	<-b.stopped
}

// predict returns the probability of each class for an image.
func (b *batcher) predict(ctx context.Context, image []float32) ([]float32, error) {
	r := &request{ctx, image, make(chan answer, 1)}
	select {
	case <-b.stop:
		return nil, errStopped
	default:
	}
	select {
	case b.queue <- r:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-b.stop:
		return nil, errStopped
	}
	select {
	case a := <-r.answer:
		return a.probabilities, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-b.stopped:
	}
	select { // it was answered before shutdown, or arrived too late
	case a := <-r.answer:
		return a.probabilities, a.err
	default:
		return nil, errStopped
	}
}

// serve answers requests until shutdown, and then those that are still waiting.
func (b *batcher) serve(session *exec.Session) {
	for {
		select {
		case first := <-b.queue:
			b.run(session, b.collect(first))
		case <-b.stop:
			for first, waits := b.waiting(); waits; first, waits = b.waiting() {
				b.run(session, b.collect(first))
			}
			return
		}
	}
}

// waiting returns a request that has already arrived.
func (b *batcher) waiting() (r *request, waits bool) {
	select {
	case r := <-b.queue:
		return r, true
	default:
		return nil, false
	}
}

// collect returns a request and others that arrive soon, without those of clients that have disconnected.
func (b *batcher) collect(first *request) []*request {
	requests, late := []*request{first}, time.NewTimer(b.delay)
	defer late.Stop()
wait:
	for len(requests) < b.most {
		select {
		case r := <-b.queue:
			requests = append(requests, r)
		case <-late.C:
			break wait
		case <-b.hurry:
			if r, waits := b.waiting(); waits {
				requests = append(requests, r)
				continue
			}
			break wait
		}
	}
	return slices.DeleteFunc(requests, func(r *request) bool { return r.ctx.Err() != nil })
}

// run answers requests.
func (b *batcher) run(session *exec.Session, requests []*request) {
	if len(requests) == 0 {
		return
	}
	var images []float32
	for _, r := range requests {
		images = append(images, r.image...)
	}
	probabilities, err := b.model.predict(session, images)
	for i, r := range requests {
		a := answer{err: err}
		if err == nil {
			a.probabilities = slices.Clone(probabilities[i*classes : (i+1)*classes]) // out of the session's memory
		}
		r.answer <- a
	}
}
