package viz_test

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/viz"
)

// digitsProgram compiles the digits model with its updates.
func digitsProgram(t testing.TB) *exec.Program {
	t.Helper()
	g := digits()
	var updates []*graph.Node
	for _, n := range g.Nodes() {
		if n.Op().Class == graph.Update {
			updates = append(updates, n)
		}
	}
	prog, err := exec.Compile(g, exec.Outputs(named(g, "loss")), exec.Updates(updates...))
	require.NoError(t, err)
	return prog
}

func htmlOf(t *testing.T, s viz.Source, opts ...viz.Option) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, viz.HTML(&b, s, opts...))
	return b.String()
}

// browse opens a page from disk in a headless browser, runs a script in it and gives the
// object that the script leaves in result. Whatever the page complains of is a failure.
func browse(t *testing.T, page, script string) map[string]any {
	t.Helper()
	var browser string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := osexec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no Chromium is installed")
	}
	const listen = `<head><script>
		window.complaints = [];
		window.onerror = (m, f, line) => { complaints.push(m + " in line " + line); };
		window.onunhandledrejection = (e) => { complaints.push(String(e.reason)); };
		for (const k of ["error", "warn"]) console[k] = (...a) => { complaints.push(a.join(" ")); };
	</script>`
	script = `<script>
		const $ = (s) => document.querySelector(s), all = (s) => [...document.querySelectorAll(s)];
		const result = {};
		const value = (column, start) => all(".column[data-column=" + column + "] .v").find((e) => e.textContent.startsWith(start));
		const hover = (e, on) => e.dispatchEvent(new MouseEvent(on ? "mouseover" : "mouseout", { bubbles: true }));
		const type = (text) => { $("#search").value = text; $("#search").oninput(); };
		const enter = () => $("#search").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
		try {` + script + `} catch (e) { complaints.push(String(e.stack)); }
		result.complaints = complaints;
		document.body.append(Object.assign(document.createElement("pre"), { id: "result", textContent: JSON.stringify(result) }));
	</script></body>`
	page = strings.Replace(strings.Replace(page, "<head>", listen, 1), "</body>", script, 1)
	path := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(path, []byte(page), 0o644))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := osexec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu",
		"--window-size=1400,900",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=5000", "--dump-dom", "file://"+path).Output()
	require.NoError(t, err)
	found := regexp.MustCompile(`(?s)<pre id="result">(.*?)</pre>`).FindSubmatch(out)
	require.NotNil(t, found, "the page's script did not come to its end")
	var result map[string]any
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &result))
	require.Empty(t, result["complaints"])
	return result
}

func TestPageInBrowser(t *testing.T) {
	page := htmlOf(t, viz.Program(digitsProgram(t)))
	got := browse(t, page, `
		result.columns = all(".column").map((e) => e.dataset.column);
		// The same value is lit in all columns, and put out again.
		value("built", "h:").click();
		result.lit = all(".column .lit0").map((e) => e.closest(".column").dataset.column + " " + e.querySelector("b").textContent);
		value("fused", "h:").click();
		result.out = all(".lit0").length;
		// Operands and users.
		hover(value("built", "h:"), true);
		result.operands = all(".column[data-column=built] .v.operand b.label").map((e) => e.textContent);
		result.users = all(".column[data-column=built] .v.user .op").map((e) => e.textContent);
		result.foot = $("#foot").textContent;
		hover(value("built", "h:"), false);
		result.after = all(".operand, .user").length;
		// Folding.
		const group = $(".column[data-column=built] .group .head");
		group.click();
		result.folded = group.parentElement.classList.contains("closed");
		// Search unfolds what hides a match.
		type("tanh");
		result.hits = $("#found").textContent;
		enter();
		result.unfolded = !group.parentElement.classList.contains("closed");
		result.now = $(".hitnow .label").textContent;
		type("");
		// Pictures.
		$("[data-tab=picture]").click();
		result.boxes = all(".picture .node").length;
		$("#foldall").click();
		result.cards = all(".picture .frame.card").length;
		result.fewer = all(".picture .node").length;
		all(".picture .frame.card .title")[0].dispatchEvent(new MouseEvent("click", { bubbles: true }));
		result.opened = all(".picture .frame.card").length;
		// Kernels and their programs.
		$("[data-tab=kernels]").click();
		result.kernels = all(".kernelrow").length;
		result.hidden = all("tr.inside").every((e) => e.hidden);
		all(".kernelrow")[1].click();
		result.programs = all("tr.inside:not([hidden]) .program").map((e) => e.textContent).join();
	`)
	assert.Equal(t, []any{"built", "simplified", "fused", "planned"}, got["columns"])
	assert.Subset(t, got["lit"], []any{"built h", "simplified h", "fused h", "planned h"})
	assert.Zero(t, got["out"])
	assert.Len(t, got["operands"], 1)
	assert.Contains(t, got["users"], "matmul")
	assert.Contains(t, got["foot"], "h:f32[batch,128] = tanh")
	assert.Contains(t, got["foot"], "examples_test.go:")
	assert.NotContains(t, got["foot"], "null")
	assert.Zero(t, got["after"])
	assert.Equal(t, true, got["folded"])
	assert.Contains(t, got["hits"], "3 matches")
	assert.Equal(t, true, got["unfolded"])
	assert.Equal(t, "h", got["now"])
	assert.Greater(t, got["boxes"], 20.0)
	assert.Greater(t, got["cards"], 1.0)
	assert.Less(t, got["fewer"], got["boxes"])
	assert.Equal(t, got["cards"].(float64)-1, got["opened"])
	assert.Equal(t, true, got["hidden"])
	assert.Contains(t, got["programs"], "tanh")
	assert.Equal(t, float64(digitsProgram(t).Kernels()), got["kernels"])
}

// TestMemoryBarsAreThePlan compares the bars of the memory chart with the plan.
func TestMemoryBarsAreThePlan(t *testing.T) {
	prog := digitsProgram(t)
	sizes := map[string]int{"batch": 24}
	f, err := prog.Footprint(sizes)
	require.NoError(t, err)
	want := []any{}
	for i, b := range prog.Plan().Buffers {
		if b.Kind == exec.Arena {
			want = append(want, []any{float64(f.Buffers[i].Offset), float64(f.Buffers[i].Bytes), float64(b.First),
				float64(b.Last)})
		}
	}
	got := browse(t, htmlOf(t, viz.Program(prog), viz.Sizes(sizes)), `
		$("[data-tab=memory]").click();
		result.bars = all(".bufferbar").map((e) => [e.dataset.offset, e.dataset.bytes, e.dataset.first, e.dataset.last].map(Number));
		result.text = $("#panel-memory").textContent;
		// Heights are in proportion to bytes.
		const tall = all(".bufferbar rect").map((e) => [Number(e.getAttribute("height")), Number(e.parentElement.dataset.bytes)]).filter((p) => p[0] > 20);
		result.scale = tall.map((p) => p[0] / p[1] / (tall[0][0] / tall[0][1]));
	`)
	assert.Equal(t, want, got["bars"])
	assert.Contains(t, got["text"], "batch = 24")
	for _, ratio := range got["scale"].([]any) {
		assert.InDelta(t, 1, ratio, 1e-6)
	}
}

func TestPageOfMistakes(t *testing.T) {
	got := browse(t, htmlOf(t, viz.Graph(wrong())), `
		result.texts = all("article pre").map((e) => e.textContent);
		result.places = all("article .source").map((e) => e.textContent);
		result.shown = !$("#panel-mistakes").hidden;
		all("article a.link")[0].click();
		$("[data-tab=columns]").click();
		result.lit = all(".column .lit0").map((e) => e.className);
		$("[data-tab=picture]").click();
		result.bad = all(".picture .node.bad").length;
		result.doubt = all(".picture .node.doubt").length;
	`)
	require.Len(t, got["texts"], 2)
	assert.Contains(t, got["texts"].([]any)[0], "The size of tensor a (64) must match the size of tensor b (128)")
	assert.Contains(t, got["places"].([]any)[0], "examples_test.go:")
	assert.Equal(t, true, got["shown"], "a page of a graph with mistakes opens with them")
	require.Len(t, got["lit"], 1)
	assert.Contains(t, got["lit"].([]any)[0], "bad")
	assert.Equal(t, 2.0, got["bad"])
	assert.Equal(t, 2.0, got["doubt"])
}

func TestPageOfLargeProgram(t *testing.T) {
	g := transformer(4)
	outs := []*graph.Node{named(g, "loss")}
	for _, n := range g.Nodes() {
		if n.GradientOf() != nil {
			outs = append(outs, n)
		}
	}
	prog, err := exec.Compile(g, exec.Outputs(outs...))
	require.NoError(t, err)
	got := browse(t, htmlOf(t, viz.Program(prog)), `
		$("[data-tab=picture]").click();
		$("[data-picture=built]").click();
		result.boxes = all(".picture .node, .picture .card").length;
		$("[data-tab=columns]").click();
		type("block3.attention softmax");
		enter();
		result.now = $(".v.hitnow").textContent;
	`)
	assert.Less(t, got["boxes"], 120.0)
	assert.Contains(t, got["now"], "softmax")
}

func TestPagesHostileNames(t *testing.T) {
	const name = `</script><script>complaints.push("x")</script>"'<b>&amp;`
	g := graph.New(name)
	g.Input(name, graph.Float32, 2)
	got := browse(t, htmlOf(t, viz.Graph(g)),
		`result.name = $(".v .label").textContent; result.title = $("h1").textContent;`)
	assert.Equal(t, name, got["name"])
	assert.Equal(t, name, got["title"])
}

// TestVariableWritesPages compiles with BROADLOOM_VIZ set.
func TestVariableWritesPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.html")
	t.Setenv(exec.VizVariable, path)
	digitsProgram(t)
	g := wrong()
	_, err := exec.Compile(g, exec.Outputs(g.Nodes()[6]))
	require.Error(t, err)
	pages, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.html"))
	require.NoError(t, err)
	require.Len(t, pages, 2, "one of the program, one of the mistakes")
	for i, want := range []string{"kernel 0", "must match the size"} {
		text, err := os.ReadFile(pages[1-i]) // out-2.html sorts before out.html
		require.NoError(t, err)
		assert.Contains(t, string(text), want)
	}
}
