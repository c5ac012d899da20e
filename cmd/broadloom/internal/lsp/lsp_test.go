package lsp

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// editor is the other end of a server.
type editor struct {
	protocol.Server
	t         testing.TB
	dir       string // of the package
	published chan *protocol.PublishDiagnosticsParams
	refreshed chan struct{}
	ended     chan error
	versions  map[string]int32
}

// patience is how long a test waits for the server: machines that build are slow, and a test must not
// fail of that.
const patience = 2 * time.Minute

// open starts a server for a user's module with the files of a package.
func open(t testing.TB, canRefresh bool, options string, files map[string]string) *editor {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	root, err := filepath.Abs("../../../..")
	require.NoError(t, err)
	e := &editor{t: t, dir: filepath.Join(t.TempDir(), "net"),
		published: make(chan *protocol.PublishDiagnosticsParams, 1000),
		refreshed: make(chan struct{}, 1000), ended: make(chan error, 1), versions: map[string]int32{}}
	e.write("../go.mod",
		"module example.com/user\n\ngo 1.26.0\n\nrequire github.com/broadloom/broadloom v0.0.0\n\nreplace github.com/broadloom/broadloom => "+
			root+"\n")
	for name, text := range files {
		e.write(name, text)
	}
	here, there := net.Pipe()
	go func() { e.ended <- Serve(context.Background(), there) }()
	conn := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(here), jsonrpc2.WithCodec(codec{}))
	conn.Go(context.Background(), protocol.ClientHandler(screen{editor: e}, jsonrpc2.MethodNotFoundHandler))
	e.Server = protocol.ServerDispatcher(conn)
	t.Cleanup(func() { here.Close() })
	init := &protocol.InitializeParams{}
	init.Capabilities.Workspace = &protocol.WorkspaceClientCapabilities{
		InlayHint: &protocol.InlayHintWorkspaceClientCapabilities{RefreshSupport: &canRefresh}}
	init.InitializationOptions = protocol.LSPAny(options)
	r, err := e.Initialize(t.Context(), init)
	require.NoError(t, err)
	require.Equal(t, protocol.Boolean(true), r.Capabilities.InlayHintProvider)
	require.NoError(t, e.Initialized(t.Context(), &protocol.InitializedParams{}))
	return e
}

// screen is what the server tells the editor.
type screen struct {
	protocol.UnimplementedClient
	editor *editor
}

func (e screen) PublishDiagnostics(_ context.Context, p *protocol.PublishDiagnosticsParams) error {
	e.editor.published <- p
	return nil
}

func (e screen) InlayHintRefresh(context.Context) error {
	e.editor.refreshed <- struct{}{}
	return nil
}

func (e screen) LogMessage(_ context.Context, p *protocol.LogMessageParams) error {
	e.editor.t.Log(p.Message)
	return nil
}

func (e *editor) write(name, text string) {
	file := filepath.Join(e.dir, name)
	require.NoError(e.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(e.t, os.WriteFile(file, []byte(text), 0o644))
}

func (e *editor) uri(name string) uri.URI { return uri.File(filepath.Join(e.dir, name)) }

func (e *editor) didOpen(name, text string) {
	e.versions[name]++
	require.NoError(e.t,
		e.DidOpen(e.t.Context(), &protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{
			URI: e.uri(name), LanguageID: "go", Version: e.versions[name], Text: text}}))
}

func (e *editor) didChange(name, text string) {
	e.versions[name]++
	p := &protocol.DidChangeTextDocumentParams{ContentChanges: []protocol.TextDocumentContentChangeEvent{
		&protocol.TextDocumentContentChangeWholeDocument{Text: text}}}
	p.TextDocument.URI, p.TextDocument.Version = e.uri(name), e.versions[name]
	require.NoError(e.t, e.DidChange(e.t.Context(), p))
}

func (e *editor) save(name, text string) {
	e.write(name, text)
	require.NoError(e.t,
		e.DidSave(e.t.Context(), &protocol.DidSaveTextDocumentParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: e.uri(name)}}))
}

// diagnostics waits for the diagnostics of the present version of a file, as lines "12:3-12:20 error
// BL101 message".
func (e *editor) diagnostics(name string) string {
	e.t.Helper()
	for {
		select {
		case p := <-e.published:
			if version, _ := p.Version.Get(); p.URI != e.uri(name) || version != e.versions[name] {
				continue
			}
			var lines []string
			for _, d := range p.Diagnostics {
				lines = append(lines, fmt.Sprintf("%s %d %s %s", spanText(d.Range), d.Severity, d.Code, d.Message))
			}
			return strings.Join(lines, "\n")
		case err := <-e.ended:
			e.t.Fatal("the server ended", err)
		case <-time.After(patience):
			e.t.Fatal("no diagnostics")
		}
	}
}

func spanText(r protocol.Range) string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
}

// hints returns the hints of a file in its text, each in ‹›.
func (e *editor) hints(name, text string) string {
	e.t.Helper()
	p := &protocol.InlayHintParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri(name)}}
	p.Range.End.Line = 1 << 20
	hints, err := e.InlayHint(e.t.Context(), p)
	require.NoError(e.t, err)
	lines := strings.Split(text, "\n")
	for i := len(hints) - 1; i >= 0; i-- {
		h := hints[i]
		line := lines[h.Position.Line]
		lines[h.Position.Line] = line[:h.Position.Character] + fmt.Sprintf("‹%s›", h.Label) +
			line[h.Position.Character:]
	}
	return strings.Join(lines, "\n")
}

func (e *editor) hover(name string, line, character int) string {
	p := &protocol.HoverParams{}
	p.TextDocument.URI = e.uri(name)
	p.Position = protocol.Position{Line: uint32(line), Character: uint32(character)}
	h, err := e.Hover(e.t.Context(), p)
	require.NoError(e.t, err)
	if h == nil || h.Contents == nil {
		return ""
	}
	return h.Contents.(*protocol.MarkupContent).Value
}

// quit ends the session and expects that the server ends.
func (e *editor) quit() {
	require.NoError(e.t, e.Shutdown(e.t.Context()))
	require.NoError(e.t, e.Exit(e.t.Context()))
	select {
	case err := <-e.ended:
		require.NoError(e.t, err)
	case <-time.After(patience):
		e.t.Fatal("the server does not end")
	}
}

const netText = `package net

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

//broadloom:model
func net() *graph.Graph {
	g := graph.New("net")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 784)
	h := dense(g, "one", x, 128)
	for _, name := range []string{"two", "three"} {
		h = ops.Relu(dense(g, name, h, 128))
	}
	y := ops.Add(h, g.Param("b", graph.Float32, 128))
	ops.ArgMax(y, 1)
	return g
}

func dense(g *graph.Graph, name string, x *graph.Node, out graph.Dim) *graph.Node {
	w := g.Param(name+"/w", graph.Float32, x.Shape()[1], out)
	return ops.MatMul(x, w)
}
`

// A whole session: a file is opened, changed without being saved, broken, mended and saved.
func TestSession(t *testing.T) {
	e := open(t, true, "", map[string]string{"net.go": netText})
	e.didOpen("net.go", netText)
	require.Empty(t, e.diagnostics("net.go"))
	<-e.refreshed
	shown := e.hints("net.go", netText)
	for _, want := range []string{
		`x‹[batch, 784]› := g.Input("x", graph.Float32, g.Dim("batch"), 784)` + "\n",
		`h‹[batch, 128]› := dense(g, "one", x, 128)` + "\n",
		`h‹[batch, 128]› = ops.Relu(dense(g, name, h, 128)‹[batch, 128]›)` + "\n",
		`y‹[batch, 128]› := ops.Add(h, g.Param("b", graph.Float32, 128)‹[128]›)` + "\n",
		`ops.ArgMax(y, 1)‹int64[batch]›` + "\n",
		`w‹[784, 128] | [128, 128]› := g.Param(name+"/w", graph.Float32, x.Shape()[1], out)` + "\n",
		`return ops.MatMul(x, w)‹[batch, 128]›` + "\n",
	} {
		require.Contains(t, shown, want)
	}

	// Typing: the buffer is checked, not the file.
	wrong := strings.Replace(netText, `Float32, 128))`, `Float32, 127))`, 1)
	e.didChange("net.go", wrong)
	found := e.diagnostics("net.go")
	require.Regexp(
		t, `^15:6-15:50 1 BL101 Add\(h, b\): The size of tensor a \(128\) must match the size of tensor b \(127\)`,
		found)
	require.Contains(t, found, "help: declare b as [128]")
	<-e.refreshed
	require.Contains(t, e.hints("net.go", wrong), `g.Param("b", graph.Float32, 127)‹[127]›`)
	require.Contains(t, e.hover("net.go", 15, 2), "```go\ny float32[batch, ")
	require.Contains(t, e.hover("net.go", 15, 14), "h float32[batch, 128]", "a variable where it is used")
	require.Contains(t, e.hover("net.go", 15, 14), "- axis 0, batch: axis 0 of x", "where an axis comes from")
	require.Contains(t, e.hover("net.go", 15, 8), "- `b float32[127]` at net.go:16", "the operands of a call")
	require.Contains(t, e.hover("net.go", 15, 11), "Add", "a function that is called")
	require.Empty(t, e.hover("net.go", 0, 3))

	// A source that does not compile keeps what was found, at its new lines, and says so.
	broken := strings.Replace(wrong, "//broadloom:model", "var _ = missing\n\n//broadloom:model", 1)
	e.didChange("net.go", broken)
	found = e.diagnostics("net.go")
	require.Regexp(t, `(?m)^7:\d+-7:\d+ 1 not-checked models are not checked: undefined: missing\n`+stale, found)
	require.Regexp(t, `(?m)^17:6-17:50 1 BL101 Add\(h, b\)`, found)
	require.Contains(t, e.hints("net.go", broken), `x‹[batch, 784]› := g.Input(`)
	e.didChange("net.go", strings.Replace(broken, "func net() *", "func net() (", 1))
	require.Regexp(t, `not-checked models are not checked: .*\n`+stale, e.diagnostics("net.go"))

	// A program that fails does not end the server.
	e.didChange("net.go", strings.Replace(netText, "\th := dense", "\tvar none []int\n\t_ = none[3]\n\th := dense", 1))
	require.Regexp(t, `^12:1-12:12 1 not-checked net could not be checked: panic: .*index out of range`,
		e.diagnostics("net.go"))

	e.didChange("net.go", netText)
	e.save("net.go", netText)
	require.Empty(t, e.diagnostics("net.go"))
	e.quit()
}

// Without refresh, a request for hints waits for the check; it can be cancelled, and shutdown ends it.
func TestWaitingForHints(t *testing.T) {
	hangs := strings.Replace(netText, "\treturn g\n", "\tselect {}\n", 1)
	e := open(t, false, `{"hints": "assigned"}`, map[string]string{"net.go": netText})
	e.didOpen("net.go", netText)
	shown := e.hints("net.go", netText)
	require.Contains(t, shown, "y‹[batch, 128]› := ops.Add(")
	require.Contains(t, shown, "return ops.MatMul(x, w)\n")

	e.didChange("net.go", hangs)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	p := &protocol.InlayHintParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri("net.go")}}
	_, err := e.InlayHint(ctx, p)
	require.Error(t, err)
	e.quit()
}

func TestSeveralPackages(t *testing.T) {
	layers := "package layers\n\nimport (\n\t\"github.com/broadloom/broadloom/graph\"\n\t\"github.com/broadloom/broadloom/ops\"\n)\n\n" +
		"// Bias adds a bias.\nfunc Bias(x *graph.Node) *graph.Node {\n\treturn ops.Add(x, x.Graph().Param(\"bias\", graph.Float32, 10))\n}\n"
	net := "package net\n\nimport (\n\t\"example.com/user/layers\"\n\t\"github.com/broadloom/broadloom/graph\"\n)\n\n" +
		"//broadloom:model\nfunc net() *graph.Graph {\n\tg := graph.New(\"net\")\n\tlayers.Bias(g.Input(\"x\", graph.Float32, 10))\n\treturn g\n}\n"
	e := open(t, true, "", map[string]string{"net.go": net, "../layers/layers.go": layers})
	e.didOpen("net.go", net)
	require.Empty(t, e.diagnostics("net.go"))
	e.didOpen("../layers/layers.go", layers)
	e.didChange("../layers/layers.go", strings.Replace(layers, "10", "11", 1))
	for !strings.Contains(e.diagnostics("../layers/layers.go"), "BL101") { // the model is in another package
	}
	e.quit()
}

func TestExitWithoutShutdown(t *testing.T) {
	e := open(t, true, "", nil)
	require.NoError(t, e.Exit(t.Context()))
	require.Error(t, <-e.ended)
	_, err := e.Initialize(t.Context(), &protocol.InitializeParams{})
	require.Error(t, err)
}

func TestWrongOptions(t *testing.T) {
	s := settings{Hints: "all"}
	require.ErrorContains(t, s.read(protocol.LSPAny(`{"hints": "some"}`)), `"assigned"`)
	require.ErrorContains(t, s.read(protocol.LSPAny(`7`)), "initializationOptions")
	require.NoError(t, s.read(nil))
	require.Equal(t, "all", s.Hints)
}
