package watch

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	run "github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/train"
	"github.com/broadloom/broadloom/train/data"
)

// newLoop makes a small training, with gradients among its outputs, and a page about it.
func newLoop(t *testing.T) (*train.Loop, *Page) {
	g := graph.New("a <b> & c")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 2)
	loss := ops.Mean(ops.Square(nn.NewLinear(g, "fc", 2, 1).Apply(nn.Training(g), x))).Named("loss")
	params := optim.Trainable(g)
	gradients := autodiff.Grad(loss, params)
	prog, err := run.Compile(g, run.Outputs(append([]*graph.Node{loss}, gradients...)...),
		run.Updates(optim.SGD(0.1).Updates(params, gradients)...))
	require.NoError(t, err)
	column, err := data.Of([]float32{1, 2, 3, 4, 5, 6, 7, 8}, 2)
	require.NoError(t, err)
	loader, err := data.New(2, []data.Column{column})
	require.NoError(t, err)
	feeds, err := loader.Feeds(x)
	require.NoError(t, err)
	session := prog.NewSession()
	page := New(g, session, Histograms(2, gradients...))
	return &train.Loop{Session: session, Loss: loss, Batches: feeds, Epochs: 2, AllowNonFinite: true,
		Observers: []train.Observer{page}}, page
}

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	r := httptest.NewRecorder()
	h.ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return r
}

func TestPage(t *testing.T) {
	l, page := newLoop(t)
	assert.JSONEq(t, `{"step":0,"epoch":0,"curves":[],"histograms":null}`, get(t, page, "/state").Body.String())
	_, err := l.Run(t.Context())
	require.NoError(t, err)

	first := get(t, page, "/")
	assert.Contains(t, first.Body.String(), "<h1>a &lt;b&gt; &amp; c</h1>")
	assert.NotContains(t, first.Body.String(), "//", "nothing is asked of other hosts")
	assert.Contains(t, first.Header().Get("Content-Security-Policy"), "default-src 'self'")
	assert.Contains(t, get(t, page, "/graph.svg").Body.String(), "</svg>")
	assert.Equal(t, http.StatusOK, get(t, page, "/page.css").Code)
	assert.Contains(t, get(t, page, "/page.js").Header().Get("Content-Type"), "javascript")
	assert.Equal(t, http.StatusNotFound, get(t, page, "/assets/index.html").Code)
	assert.Equal(t, http.StatusOK, get(t, http.StripPrefix("/training", page), "/training/state").Code)

	var s shown
	require.NoError(t, json.Unmarshal(get(t, page, "/state").Body.Bytes(), &s))
	assert.Equal(t, []int{4, 1}, []int{s.Step, s.Epoch})
	require.Len(t, s.Curves, 2)
	assert.Equal(t, []int{1, 2, 3, 4}, s.Curves[0].Steps)
	assert.Equal(t, []int{2, 4}, s.Curves[1].Steps)
	require.Len(t, s.Histograms, 4, "two parameters and their gradients")
	assert.Equal(t, "fc.weight", s.Histograms[0].Name)
	assert.Equal(t, 2, s.Histograms[0].Elements)

	post := httptest.NewRecorder()
	page.ServeHTTP(post, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil))
	assert.Equal(t, http.StatusMethodNotAllowed, post.Code)
}

// TestStream looks at a training over the network while it runs.
func TestStream(t *testing.T) {
	l, page := newLoop(t)
	ctx, cancel := context.WithCancel(t.Context())
	listener, err := Listen(ctx, "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- page.ServeOn(ctx, listener) }()

	request, err := http.NewRequestWithContext(
		t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/events", nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	next := func() (s shown) {
		for lines.Scan() {
			if text, is := strings.CutPrefix(lines.Text(), "data: "); is {
				require.NoError(t, json.Unmarshal([]byte(text), &s))
				return s
			}
		}
		require.Fail(t, "the stream has ended")
		return s
	}
	assert.Equal(t, 0, next().Step)
	_, err = l.Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 4, next().Step)

	began := time.Now()
	cancel()
	require.NoError(t, <-ended)
	for lines.Scan() {
	}
	assert.Less(t, time.Since(began), 5*time.Second, "streams end with the context")
}

func TestOnlyThisMachine(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:80", "example.com:80", "127.0.0.1"} {
		_, err := Listen(t.Context(), address)
		require.ErrorContains(t, err, "watch: ", address)
	}
	_, page := newLoop(t)
	for host, want := range map[string]int{
		"localhost:80": http.StatusOK, "127.0.0.1": http.StatusOK, "[::1]:9": http.StatusOK,
		"evil.example:80": http.StatusForbidden, "": http.StatusForbidden} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		local(page).ServeHTTP(w, r)
		assert.Equal(t, want, w.Code, host)
	}
}

func TestHistogram(t *testing.T) {
	h := newHistogram("w", []float64{0, 1, 1, 40, math.NaN(), math.Inf(1)})
	assert.Equal(t, []any{0.0, 40.0, 6, 2}, []any{h.Low, h.High, h.Elements, h.Strange})
	assert.Equal(t, []int{1, 2}, h.Counts[:2])
	assert.Equal(t, 1, h.Counts[bins-1])
	assert.Equal(t, 3, newHistogram("same", []float32{2, 2, 2}).Counts[0])
	assert.Empty(t, newHistogram("none", []float32{}).Counts)
	assert.Empty(t, newHistogram("strange", []float32{float32(math.NaN())}).Counts)
	wide := newHistogram("wide", []float64{-math.MaxFloat64, math.MaxFloat64})
	assert.Equal(t, []int{1, 1}, []int{wide.Counts[0], wide.Counts[bins-1]})
}

func TestLongCurvesAreShort(t *testing.T) {
	c := train.Curve{Name: "loss"}
	for i := range 1500 {
		c.Points = append(c.Points, train.Point{Step: i + 1, Value: float64(i)})
	}
	c.Points[4].Value = math.Inf(1)
	s := show(c)
	require.Len(t, s.Steps, 500)
	assert.Equal(t, []int{3, 6}, s.Steps[:2])
	assert.InDelta(t, 1, *s.Values[0], 1e-12)
	assert.Nil(t, s.Values[1])
}

// document is what the page's script needs of a browser: elements that keep what they are given.
const document = `
class Element {
	constructor(name) { this.name = name; this.attributes = {}; this.children = []; this.textContent = ""; }
	setAttribute(key, value) { this.attributes[key] = String(value); }
	append(...children) { this.children.push(...children); }
	replaceChildren(...children) { this.children = children; }
	all(name) { return this.children.flatMap((c) => [...(c.name === name ? [c] : []), ...c.all(name)]); }
}
const byID = { status: new Element("p"), curves: new Element("div"), histograms: new Element("div") };
globalThis.document = {
	createElement: (name) => new Element(name), createElementNS: (_, name) => new Element(name), getElementById: (id) => byID[id],
};
globalThis.EventSource = class { constructor() { globalThis.stream = this; } };
`

// TestScript lets the page's script draw a training, in Node.
func TestScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node")
	}
	l, page := newLoop(t)
	_, err = l.Run(t.Context())
	require.NoError(t, err)
	code, state := get(t, page, "/page.js").Body.String(), get(t, page, "/state").Body.String()
	script := document + code + "\nstream.onmessage({ data: `" + state + "` });" + `
console.log(byID.status.textContent);
console.log(byID.curves.all("path").map((p) => p.attributes.class + p.attributes.d.replace(/[^ML]/g, "")).join());
console.log(byID.histograms.all("figcaption").map((c) => c.textContent + c.children[0].textContent).join(";"));
console.log(byID.histograms.all("rect").length, /NaN|undefined|Infinity/.test(JSON.stringify(byID)));
stream.onerror(); stream.onerror();
console.log(byID.status.textContent);`
	cmd := exec.CommandContext(t.Context(), node)
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	lines := strings.Split(string(out), "\n")
	require.Len(t, lines, 6)
	assert.Equal(t, []string{"epoch 2, step 4", "stepMLLL,epochML"}, lines[:2])
	assert.Regexp(t, `^fc\.weight 2 elements;fc\.bias 1 elements;\S.* 2 elements;\S.* 1 elements$`, lines[2])
	assert.Equal(t, []string{"160 false", "the training does not answer; what follows is the last that it told"},
		lines[3:5])
}

// TestInABrowser opens the page and looks at what its script has drawn.
func TestInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	var browser string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("there is no Chromium")
	}
	l, page := newLoop(t)
	_, err := l.Run(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	listener, err := Listen(ctx, "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = page.ServeOn(ctx, listener) }()
	limit, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	const last = "epoch 2, step 4"
	var dom []byte
	for !strings.Contains(string(dom), last) && limit.Err() == nil {
		// on a busy machine the browser prints the page before its script has the steps
		cmd := exec.CommandContext(limit, browser, "--headless", "--no-sandbox", "--disable-gpu",
			"--user-data-dir="+t.TempDir(), "--timeout=5000", "--dump-dom", "http://"+listener.Addr().String()+"/")
		cmd.Stderr = io.Discard
		dom, err = cmd.Output()
		require.NoError(t, err)
	}
	assert.Contains(t, string(dom), last)
	assert.Equal(t, 2, strings.Count(string(dom), "<path class="))
	assert.True(t, slices.Contains(strings.FieldsFunc(string(dom), func(r rune) bool { return r == '<' || r == '>' }),
		"fc.weight"))
	assert.Positive(t, strings.Count(string(dom), `class="bar"`))
}
