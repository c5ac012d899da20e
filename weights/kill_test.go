//go:build unix

package weights_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	blexec "github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/weights"
)

var kills = flag.Int("kills", 10, "how many processes are killed while they save")

// saverVariable names the folder that a process of this test saves to until it is killed.
const saverVariable = "BROADLOOM_TEST_SAVER"

// TestKilledWhileSaving kills processes that save all the time. Whenever it happens, the path
// names a whole file, of one save, and no older than the last that was done.
func TestKilledWhileSaving(t *testing.T) {
	if folder := os.Getenv(saverVariable); folder != "" {
		saveForever(t, folder)
	}
	for _, name := range []string{"w.safetensors", "w.npz", "w.index.json"} {
		folder := t.TempDir()
		least := -1
		for range *kills {
			saver := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledWhileSaving$")
			saver.Env = append(os.Environ(), saverVariable+"="+filepath.Join(folder, name))
			out, err := saver.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, saver.Start())
			_, err = out.Read(make([]byte, 1)) // the first save is done
			require.NoError(t, err)
			time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
			require.NoError(t, saver.Process.Signal(syscall.SIGKILL))
			_ = saver.Wait()

			f, err := weights.Open(filepath.Join(folder, name))
			require.NoError(t, err)
			round := -1
			for _, info := range f.Tensors() {
				v, err := f.Read(info.Name)
				require.NoError(t, err)
				for _, x := range v.Data.([]float32) {
					if round < 0 {
						round = int(x)
					}
					require.Equal(t, round, int(x), "values of one save")
				}
			}
			require.NoError(t, f.Close())
			require.GreaterOrEqual(t, round, least)
			least = round
		}
	}
}

func saveForever(t *testing.T, path string) {
	var opts []weights.Option
	if filepath.Ext(path) == ".json" {
		opts = append(opts, weights.ShardBytes(50_000))
	}
	for round := startOf(path); ; round++ {
		data := make([]float32, 10_000)
		for i := range data {
			data[i] = float32(round)
		}
		var values []weights.Named
		for i := range 4 {
			values = append(values, weights.Named{
				Name: strconv.Itoa(i), Value: blexec.Array{Shape: []int{100, 100}, Data: data}})
		}
		require.NoError(t, weights.Write(path, values, opts...))
		os.Stdout.WriteString(".")
	}
}

// startOf returns the round after the one that is saved.
func startOf(path string) int {
	f, err := weights.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	v, err := f.Read("0")
	if err != nil {
		return 0
	}
	return int(v.Data.([]float32)[0]) + 1
}

// Opening a pipe that nothing writes does not block.
func TestPipesAreNoFiles(t *testing.T) {
	for _, name := range []string{"pipe.npz", "pipe.index.json"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, syscall.Mkfifo(path, 0o600))
		_, err := weights.Open(path)
		require.ErrorContains(t, err, "not a regular file", name)
	}
}
