package weights_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/weights"
)

// Messages name the user's path, not that of the file that is renamed to it.
func TestPathsThatCannotBeWritten(t *testing.T) {
	folder := t.TempDir()
	values := []weights.Named{{"a", exec.Array{Shape: []int{2}, Data: []float32{1, 2}}}}
	there, file := filepath.Join(folder, "there.npz"), filepath.Join(folder, "file")
	require.NoError(t, os.Mkdir(there, 0o700))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for path, want := range map[string]string{
		there:                              "weights: " + there + ": it is a folder",
		filepath.Join(file, "a.npz"):       "no file can be created in " + file,
		filepath.Join(folder, "a\x00.npz"): "no file can be created in " + folder,
	} {
		err := weights.Write(path, values)
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), ".tmp-")
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 2)

	cut := filepath.Join(folder, "cut.npz")
	require.NoError(t, weights.Write(cut, values))
	require.NoError(t, os.Truncate(cut, 100))
	_, err = weights.Open(cut)
	require.ErrorContains(t, err, "the file is damaged, or was not written completely")
}
