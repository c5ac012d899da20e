package lsp

import (
	"context"
	"encoding/json"
	"io"

	"go.lsp.dev/jsonrpc2"
)

// framed is a stream of messages that state their length, so the beginning of the next one is known, whatever a message
// contains.
type framed interface {
	jsonrpc2.Stream
	ReadFrame(ctx context.Context) (body []byte, n int64, err error)
	WriteFrame(ctx context.Context, body []byte) (n int64, err error)
}

// forgiving answers invalid messages with an error, and continues with the next one. The library would end the
// connection.
type forgiving struct{ framed }

func newStream(connection io.ReadWriteCloser) jsonrpc2.Stream {
	return forgiving{jsonrpc2.NewHeaderStream(connection).(framed)}
}

// ReadFrame returns the next message, or several in an array.
func (s forgiving) ReadFrame(ctx context.Context) (body []byte, n int64, err error) {
	for {
		if body, n, err = s.framed.ReadFrame(ctx); err != nil {
			return body, n, err
		}
		trouble := troubleOf(body)
		if trouble == nil {
			return body, n, nil
		}
		if _, err := s.Write(ctx, jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, trouble)); err != nil {
			return nil, 0, err
		}
	}
}

// troubleOf says why something is not a message. The elements of an array are answered one by one.
func troubleOf(body []byte) error {
	if !json.Valid(body) {
		return jsonrpc2.ErrParse
	}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil {
		return nil
	}
	if _, err := jsonrpc2.DecodeMessage(body); err != nil {
		return jsonrpc2.ErrInvalidRequest
	}
	return nil
}
