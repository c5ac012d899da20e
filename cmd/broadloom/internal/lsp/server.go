package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// server answers one editor.
type server struct {
	protocol.UnimplementedServer
	client protocol.Client
	ctx    context.Context    // until shutdown
	stop   context.CancelFunc // ends all checks

	mu         sync.Mutex
	docs       map[string]*document // open files, by path
	packages   map[string]*pkg      // by directory
	published  map[string]bool      // files for which the editor has diagnostics
	canRefresh bool                 // the editor asks for hints again when it is told to
	isShut     bool                 // shutdown was asked for
	exited     chan struct{}        // closed by exit
	checking   chan struct{}        // holds one element while a package is checked
	wait       sync.WaitGroup       // for checks
	settings   settings
}

// settings are the options of initialize.
type settings struct {
	Hints string // "all", "assigned" or "none"
	Delay time.Duration
}

// Serve answers an editor until it exits or the connection ends. The error says that the editor left without shutdown.
func Serve(ctx context.Context, connection io.ReadWriteCloser) error {
	untilShutdown, stop := context.WithCancel(ctx)
	defer stop()
	conn := jsonrpc2.NewConn(newStream(connection), jsonrpc2.WithCodec(codec{}))
	s := &server{client: protocol.ClientDispatcher(conn), ctx: untilShutdown, stop: stop, docs: map[string]*document{},
		packages:  map[string]*pkg{},
		published: map[string]bool{}, exited: make(chan struct{}), checking: make(chan struct{}, 1),
		settings: settings{Hints: "all", Delay: 150 * time.Millisecond}}
	conn.Go(ctx, protocol.CancelHandler(inOrder(s.guard(protocol.ServerHandler(s, jsonrpc2.MethodNotFoundHandler)))))
	select {
	case <-conn.Done():
	case <-s.exited:
	case <-ctx.Done():
	}
	stop()
	s.wait.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packages {
		p.close()
	}
	connection.Close() // conn.Close would wait for the editor to end what it sends
	if !s.isShut {
		return errors.New("the editor ended the connection without shutdown")
	}
	return nil
}

// codec writes and reads messages with the unions of the protocol.
type codec struct{ jsonrpc2.JSONCodec }

// Marshal returns a message as JSON.
func (c codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok || v == nil {
		return c.JSONCodec.Marshal(raw)
	}
	return protocol.Marshal(v)
}

// Unmarshal reads a message.
func (c codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*jsonrpc2.RawMessage); ok {
		return c.JSONCodec.Unmarshal(data, raw)
	}
	return protocol.Unmarshal(data, v)
}

// inOrder handles notifications one after the other, since changes of a document build on each other, and requests
// concurrently.
func inOrder(handler jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.IsCall() {
			jsonrpc2.Async(ctx)
		}
		return handler(ctx, req)
	}
}

// guard turns a panic, which is a mistake of the server's own, into an error of the one request, and
// keeps an error of a notification from ending the connection.
func (s *server) guard(handler jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
		method, isCall := req.Method(), req.IsCall()
		defer func() {
			if p := recover(); p != nil {
				s.log("%s panics: %v\n%s", method, p, debug.Stack())
				result, err = nil, jsonrpc2.NewError(jsonrpc2.ErrInternal.Code, fmt.Sprintf("%s failed: %v", method, p))
			}
			if err != nil && !isCall {
				s.log("%s: %v", method, err)
				err = nil
			}
		}()
		return handler(ctx, req)
	}
}

// log reports an error of the server to the editor's user.
func (s *server) log(format string, args ...any) {
	s.client.LogMessage(
		s.ctx, &protocol.LogMessageParams{Type: protocol.MessageTypeError, Message: fmt.Sprintf(format, args...)})
}

// Initialize returns the server's capabilities.
func (s *server) Initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := p.Capabilities.Workspace; w != nil && w.InlayHint != nil && w.InlayHint.RefreshSupport != nil {
		s.canRefresh = *w.InlayHint.RefreshSupport
	}
	if err := s.settings.read(p.InitializationOptions); err != nil {
		return nil, jsonrpc2.NewError(jsonrpc2.ErrInvalidParams.Code, err.Error())
	}
	yes, full := true, protocol.TextDocumentSyncKindFull
	return &protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "broadloom"},
		Capabilities: protocol.ServerCapabilities{
			PositionEncoding: protocol.PositionEncodingKindUTF16,
			TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &full,
				Save: &protocol.SaveOptions{}},
			HoverProvider:     protocol.Boolean(true),
			InlayHintProvider: protocol.Boolean(true),
		},
	}, nil
}

// read reads the options of initialize: {"hints": "all"}.
func (o *settings) read(options protocol.LSPAny) error {
	if len(options) == 0 || string(options) == "null" {
		return nil
	}
	var given struct {
		Hints string `json:"hints"`
	}
	if err := protocol.Unmarshal(options, &given); err != nil {
		return fmt.Errorf("initializationOptions: %w", err)
	}
	if given.Hints == "" {
		return nil
	}
	if !slices.Contains([]string{"all", "assigned", "none"}, given.Hints) {
		return fmt.Errorf(`initializationOptions: hints is %q; it must be "all", "assigned" or "none"`, given.Hints)
	}
	o.Hints = given.Hints
	return nil
}

// Shutdown ends all checks.
func (s *server) Shutdown(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isShut = true
	s.stop()
	return nil
}

// Exit ends the server.
func (s *server) Exit(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.exited:
	default:
		close(s.exited)
	}
	return nil
}
