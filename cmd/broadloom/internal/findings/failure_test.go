package findings

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
)

func TestOfFailure(t *testing.T) {
	o := models.Outcome{Package: models.Package{Dir: "/user/net"},
		Model: models.Model{Name: "net", File: "/user/net/net.go", Line: 8}}
	o.Failure = "the function returned a nil graph"
	assert.Equal(t, Place{"/user/net/net.go", 8, 0}, OfFailure(o).At)
	o.Failure = "panic: no\n      at /go/broadloom/ops/ops.go:3   ops.Add\n      at /user/net/more.go:17   net.layer\n      at /user/net/net.go:9   net.net"
	f := OfFailure(o)
	assert.Equal(t, Place{filepath.FromSlash("/user/net/more.go"), 17, 0}, f.At,
		"the innermost line of the user's package")
	assert.Equal(t, "net could not be checked: panic: no", f.Message)
	assert.Contains(t, f.Detail, "ops.go:3")
}
