package watch

import (
	"errors"
	"fmt"
	"sync"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/train"
)

// Page is an observer of a training and an http.Handler that shows it. Any number of goroutines may ask it. It
// never waits for those who look.
type Page struct {
	graph   *graph.Graph
	session *exec.Session
	title   string
	every   int           // steps between histograms; 0 for none
	values  []*graph.Node // outputs of which there are histograms

	history train.History
	picture sync.Mutex // held while svg is made
	svg     []byte

	mutex      sync.Mutex
	histograms []histogram
	step       int
	epoch      int
	changed    chan struct{} // closed with the next change
}

// Option changes what a page shows.
type Option func(*Page)

// Title sets the page's title; it is the graph's name otherwise.
func Title(title string) Option { return func(p *Page) { p.title = title } }

// Histograms adds histograms of all floating-point parameters, after each so many steps, and of values that are
// outputs of the session's program, such as gradients. The parameters are copied for it.
func Histograms(every int, outputs ...*graph.Node) Option {
	return func(p *Page) { p.every, p.values = max(every, 1), outputs }
}

// New makes a page about a graph and a session that trains it. Give it to train.Loop.Observers.
func New(g *graph.Graph, s *exec.Session, opts ...Option) *Page {
	p := &Page{graph: g, session: s, changed: make(chan struct{})}
	if g != nil {
		p.title = g.Name()
	}
	for _, o := range opts {
		if o != nil {
			o(p)
		}
	}
	return p
}

// Step implements [train.Observer].
func (p *Page) Step(s train.Step) error {
	if p.graph == nil || p.session == nil {
		return errors.New("watch: the page has no graph or no session")
	}
	var histograms []histogram
	if p.every > 0 && s.Total%p.every == 0 {
		var err error
		if histograms, err = p.count(s.Results); err != nil {
			return fmt.Errorf("watch: %w", err)
		}
	}
	err := p.history.Step(s)
	p.change(func() {
		p.step, p.epoch = s.Total, s.Epoch
		if histograms != nil {
			p.histograms = histograms
		}
	})
	return err
}

// Epoch implements [train.Observer].
func (p *Page) Epoch(e train.Epoch) error {
	err := p.history.Epoch(e)
	p.change(func() { p.step, p.epoch = e.Total, e.Number })
	return err
}

// change makes a change and wakes those who wait for one.
func (p *Page) change(what func()) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	what()
	close(p.changed)
	p.changed = make(chan struct{})
}

// count makes histograms of parameters and outputs.
func (p *Page) count(r *exec.Results) (list []histogram, err error) {
	params, err := p.session.Params()
	if err != nil {
		return nil, err
	}
	for _, n := range params {
		if !n.DType().IsFloat() {
			continue
		}
		a, err := p.session.Param(n)
		if err != nil {
			return nil, err
		}
		list = append(list, newHistogram(n.Label(), a.Widened().Data))
	}
	for _, n := range p.values {
		a, err := r.Array(n)
		if err != nil {
			return nil, err
		}
		list = append(list, newHistogram(n.Label(), a.Widened().Data))
	}
	return list, nil
}
