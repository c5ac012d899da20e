package watch_test

import (
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/train/watch"
)

// A page is an observer of a train.Loop, and a handler of HTTP.
func ExampleNew() {
	g := graph.New("line")
	w := g.Param("w", graph.Float32)
	loss := ops.Square(ops.Sub(w, graph.Num(1)))
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.SGD(0.1).Minimize(loss)...))
	if err != nil {
		log.Fatal(err)
	}
	page := watch.New(g, prog.NewSession(), watch.Title("a line"), watch.Histograms(100))

	server := httptest.NewServer(page) // page.Serve listens on an address of one's own machine
	defer server.Close()
	answer, err := server.Client().Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status, answer.Header.Get("Content-Type"))
	// Output: 200 OK text/html; charset=utf-8
}
