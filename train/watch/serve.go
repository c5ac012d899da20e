package watch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Serve listens at an address of this machine, such as 127.0.0.1:8080, until the context ends. Anybody who can reach
// the page can read it, so addresses of other interfaces are refused. To serve those, put the handler behind a server
// with authentication.
func (p *Page) Serve(ctx context.Context, address string) error {
	l, err := Listen(ctx, address)
	if err != nil {
		return err
	}
	return p.ServeOn(ctx, l)
}

// Listen is the first half of [Page.Serve]. Its address has the port that was chosen if the requested one was 0.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	if !isLoopback(host) {
		return nil, fmt.Errorf(
			"watch: %s is not an address of this machine alone: use 127.0.0.1, ::1 or localhost, or serve the handler by a server of your own",
			address)
	}
	var c net.ListenConfig
	return c.Listen(ctx, "tcp", address)
}

// ServeOn serves until the context ends, and closes the listener. The context's end is no error.
func (p *Page) ServeOn(ctx context.Context, l net.Listener) error {
	s := &http.Server{Handler: local(p), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	defer context.AfterFunc(ctx, func() { s.Close() })()
	err := s.Serve(l)
	if errors.Is(err, http.ErrServerClosed) && ctx.Err() != nil {
		return nil
	}
	return err
}

// local refuses requests that name another host: those of internet pages whose name a browser was made to resolve to
// this machine.
func local(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !isLoopback(host) {
			http.Error(w, "this page is for its own machine", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// isLoopback reports whether a host is this machine by a way that no other one can use.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
