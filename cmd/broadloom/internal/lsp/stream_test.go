package lsp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is no message is answered with an error, and the server goes on.
func TestWhatIsNoMessage(t *testing.T) {
	editor, there := net.Pipe()
	defer editor.Close()
	ended := make(chan error, 1)
	go func() { ended <- Serve(context.Background(), there) }()
	in := bufio.NewReader(editor)
	send := func(body string) {
		_, err := fmt.Fprintf(editor, "Content-Length: %d\r\n\r\n%s", len(body), body)
		require.NoError(t, err)
	}
	answer := func() string {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		require.NoError(t, err)
		n, err := strconv.Atoi(header.Get("Content-Length"))
		require.NoError(t, err)
		body := make([]byte, n)
		_, err = io.ReadFull(in, body)
		require.NoError(t, err)
		return string(body)
	}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`
	for _, c := range []struct{ body, want string }{
		{`{bad json`, `"id":null,"error":{"code":-32700`},
		{"\xff\x00", `"id":null,"error":{"code":-32700`},
		{`[{"jsonrpc":`, `"id":null,"error":{"code":-32700`},
		{`7`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"1.0","id":3,"method":"shutdown"}`, `"id":null,"error":{"code":-32600`},
		{`{}`, `"id":null,"error":{"code":-32600`},
		{`[{}]`, `[{"jsonrpc":"2.0","id":null,"error":{"code":-32600`},
		{initialize, `"name":"broadloom"`},
		{`{"jsonrpc":"2.0","id":2,"method":"nothing","params":{}}`, `"code":-32601`},
		{`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`, `"id":3`},
	} {
		send(c.body)
		require.Contains(t, answer(), c.want, c.body)
	}
	send(`{"jsonrpc":"2.0","method":"exit"}`)
	require.NoError(t, <-ended)
}
