package atomicfile_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/atomicfile"
)

// TestLongNames writes files whose names are as long as the file system allows, and tells of those that are longer.
func TestLongNames(t *testing.T) {
	folder := t.TempDir()
	write := func(name string) error {
		return atomicfile.Write(filepath.Join(folder, name), func(w io.Writer) error {
			_, err := io.WriteString(w, name)
			return err
		})
	}
	for _, name := range []string{strings.Repeat("a", 242), strings.Repeat("a", 243), strings.Repeat("a", 255),
		strings.Repeat("é", 127), "b" + strings.Repeat("é", 127)} {
		for range 2 { // also over the one that is there
			require.NoError(t, write(name), "%d bytes", len(name))
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, name, string(text))
	}
	err := write(strings.Repeat("a", 256))
	require.ErrorIs(t, err, syscall.ENAMETOOLONG)
	require.EqualError(t, err, "the file's name has 256 bytes: file name too long")
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 5, "none that is written in between is left")
}
