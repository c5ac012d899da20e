// Package watch shows a training on a page while it runs: curves, histograms of parameters and gradients, and the
// picture of the graph. The page asks nothing of any network but the one address that serves it.
//
//	page := watch.New(g, session, watch.Histograms(100, gradients...))
//	loop.Observers = append(loop.Observers, page)
//	go page.Serve(ctx, "127.0.0.1:8080")
//
// watch.go is the page as an observer, histogram.go counts values, handler.go answers requests, and serve.go
// listens. The page's script and style lie in assets.
package watch
