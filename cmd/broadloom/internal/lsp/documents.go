package lsp

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"go.lsp.dev/protocol"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
)

// document is an open file.
type document struct {
	text    string
	version int32
}

// DidOpen takes the text of a file that was opened, and checks its package.
func (s *server) DidOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	file := p.TextDocument.URI.FsPath()
	s.set(file, &document{p.TextDocument.Text, p.TextDocument.Version}, 0)
	return nil
}

// DidChange takes the text of a file that was changed, and checks its package when the user
// rests.
func (s *server) DidChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) error {
	for _, change := range p.ContentChanges {
		if whole, ok := change.(*protocol.TextDocumentContentChangeWholeDocument); ok {
			s.set(p.TextDocument.URI.FsPath(), &document{whole.Text, p.TextDocument.Version}, s.settings.Delay)
		}
	}
	return nil
}

// DidSave checks the package of a file that was saved.
func (s *server) DidSave(_ context.Context, p *protocol.DidSaveTextDocumentParams) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.schedule(p.TextDocument.URI.FsPath(), 0)
	return nil
}

// DidClose has the file read from the disk again.
func (s *server) DidClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	s.set(p.TextDocument.URI.FsPath(), nil, 0)
	return nil
}

// DidChangeWatchedFiles checks the packages of files that something else has changed.
func (s *server) DidChangeWatchedFiles(_ context.Context, p *protocol.DidChangeWatchedFilesParams) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, change := range p.Changes {
		s.schedule(change.URI.FsPath(), s.settings.Delay)
	}
	return nil
}

// set records an open document.
func (s *server) set(file string, d *document, delay time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[file] = d
	if d == nil {
		delete(s.docs, file)
	}
	s.schedule(file, delay)
}

// overlay returns the open Go files with unsaved text. The server must be locked.
func (s *server) overlay() models.Overlay {
	o := models.Overlay{}
	for file, d := range s.docs {
		if saved, err := os.ReadFile(file); filepath.Ext(file) == ".go" && (err != nil || string(saved) != d.text) {
			o[file] = d.text
		}
	}
	return o
}

// textOf returns the present text of a file. The server is locked.
func (s *server) textOf(file string) string {
	if d := s.docs[file]; d != nil {
		return d.text
	}
	text, _ := os.ReadFile(file)
	return string(text)
}
