package watch

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"time"

	"github.com/broadloom/broadloom/train"
	"github.com/broadloom/broadloom/viz"
)

//go:embed assets
var assets embed.FS

var index = template.Must(template.ParseFS(assets, "assets/index.html"))

// The stream reports changes at most once per pause, and a sign of life at least once per alive.
const (
	pause = 500 * time.Millisecond
	alive = 15 * time.Second
)

// mostShown bounds the points of a curve on the page.
const mostShown = 600

// ServeHTTP implements http.Handler. The page's addresses are relative, so that it may be under a prefix:
// http.StripPrefix, with a slash at the end.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "this page is only read", http.StatusMethodNotAllowed)
		return
	}
	head := w.Header()
	head.Set("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "no-store")
	switch r.URL.Path {
	case "/", "":
		head.Set("Content-Type", "text/html; charset=utf-8")
		_ = index.Execute(w, p.title) // whoever asked may have gone
	case "/page.js", "/page.css":
		http.ServeFileFS(w, r, assets, "assets"+r.URL.Path)
	case "/graph.svg":
		p.serveGraph(w, r)
	case "/state":
		head.Set("Content-Type", "application/json")
		text, _ := p.state()
		_, _ = w.Write(text)
	case "/events":
		p.serveEvents(w, r)
	default:
		http.NotFound(w, r)
	}
}

// state is the content of the page, as JSON, and a channel that is closed with the next change.
func (p *Page) state() (text []byte, changed <-chan struct{}) {
	p.mutex.Lock()
	s := shown{Step: p.step, Epoch: p.epoch, Histograms: p.histograms, Curves: []shownCurve{}}
	changed = p.changed
	p.mutex.Unlock()
	for _, c := range p.history.Curves() {
		s.Curves = append(s.Curves, show(c))
	}
	text, err := json.Marshal(s)
	if err != nil { // all its numbers are finite
		panic(err)
	}
	return text, changed
}

// shown is the data that the page's script reads.
type shown struct {
	Step       int          `json:"step"`
	Epoch      int          `json:"epoch"` // from 0
	Curves     []shownCurve `json:"curves"`
	Histograms []histogram  `json:"histograms"`
}

type shownCurve struct {
	Name     string     `json:"name"`
	PerEpoch bool       `json:"perEpoch"`
	Steps    []int      `json:"steps"`
	Values   []*float64 `json:"values"` // null for what is no finite number
}

// show returns a curve for the page: each of its points is the mean of as many as leave few enough.
func show(c train.Curve) shownCurve {
	s := shownCurve{Name: c.Name, PerEpoch: c.PerEpoch, Steps: []int{}, Values: []*float64{}}
	width := (len(c.Points) + mostShown - 1) / mostShown
	for first := 0; first < len(c.Points); first += width {
		part := c.Points[first:min(first+width, len(c.Points))]
		mean := 0.0
		for _, point := range part {
			mean += point.Value / float64(len(part))
		}
		value := &mean
		if math.IsNaN(mean) || math.IsInf(mean, 0) {
			value = nil
		}
		s.Steps, s.Values = append(s.Steps, part[len(part)-1].Step), append(s.Values, value)
	}
	return s
}

// serveEvents streams the state after changes (server-sent events, HTML standard, section 9.2).
func (p *Page) serveEvents(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	stream := http.NewResponseController(w)
	for {
		text, changed := p.state()
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || stream.Flush() != nil {
			return
		}
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
			return
		}
		for isChanged := false; !isChanged; {
			timer := time.NewTimer(alive)
			select {
			case <-changed:
				isChanged = true
			case <-timer.C:
				if _, err := fmt.Fprint(w, ": alive\n\n"); err != nil || stream.Flush() != nil {
					return
				}
			case <-r.Context().Done():
				return
			}
			timer.Stop()
		}
	}
}

// serveGraph draws the graph once.
func (p *Page) serveGraph(w http.ResponseWriter, r *http.Request) {
	p.picture.Lock()
	defer p.picture.Unlock()
	if p.svg == nil {
		var picture bytes.Buffer
		if err := viz.SVG(r.Context(), &picture, viz.Graph(p.graph)); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		p.svg = picture.Bytes()
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = w.Write(p.svg)
}
