package svg_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/viz/svg"
)

// TestEveryGoldenIsDrawn draws all golden pictures of package viz.
func TestEveryGoldenIsDrawn(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.dot")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			dot, err := os.ReadFile(file)
			require.NoError(t, err)
			picture, err := svg.Render(context.Background(), dot)
			require.NoError(t, err)
			assert.Equal(t, bytes.Count(dot, []byte("tooltip=")), bytes.Count(picture, []byte(`class="node"`)),
				"every box and bead is drawn")
			d := xml.NewDecoder(bytes.NewReader(picture))
			for err == nil {
				_, err = d.Token()
			}
			require.True(t, errors.Is(err, io.EOF), "%v", err)
		})
	}
}

func TestErrorsAreTold(t *testing.T) {
	_, err := svg.Render(context.Background(), []byte("digraph {"))
	require.Error(t, err)
}
