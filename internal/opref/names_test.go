package opref

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNamesOfLibraries looks up every public name of each library, as testdata/names/names.py has listed them: a row
// has it, a sentence answers it, or it stands in testdata/names/missing.txt.
func TestNamesOfLibraries(t *testing.T) {
	rows, err := allRows()
	require.NoError(t, err)
	listed := namesOf(t, filepath.Join("testdata", "names", "missing.txt"))
	files, err := filepath.Glob(filepath.Join("testdata", "names", "*.txt"))
	require.NoError(t, err)
	var missing []string
	for _, file := range files {
		if filepath.Base(file) == "missing.txt" {
			continue
		}
		count := map[Kind]int{}
		for _, name := range namesOf(t, file) {
			kind, _, _ := Known(rows, name)
			count[kind]++
			if kind != Missing {
				continue
			}
			missing = append(missing, name)
			assert.True(t, slices.Contains(listed, name),
				"no row has %s, and no sentence answers it: add the name to the row of the operation, a line to answers.txt, or a line to testdata/names/missing.txt",
				name)
		}
		t.Logf("%s: %v", filepath.Base(file), count)
	}
	for _, name := range listed {
		assert.True(t, slices.Contains(missing, name), "%s is found now: take it out of testdata/names/missing.txt",
			name)
	}
}

// namesOf reads a list of names; lines that begin with # are not names.
func namesOf(t *testing.T, file string) (list []string) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, list)
	return list
}

// spokenOf is a function of a package that a sentence names.
var spokenOf = regexp.MustCompile(
	`\b(ops|nn|optim|autodiff|exec|gradcheck|graph|train|metric|data|stablehlo|weights)\.([A-Z]\w*)`)

// TestAnswersNameWhatExists finds sentences about functions that are none.
func TestAnswersNameWhatExists(t *testing.T) {
	folders := map[string]string{"gradcheck": "autodiff/gradcheck", "metric": "train/metric", "data": "train/data"}
	declared := map[string]map[string]bool{}
	for _, a := range answers() {
		for _, match := range spokenOf.FindAllStringSubmatch(a.text, -1) {
			folder := match[1]
			if other, is := folders[folder]; is {
				folder = other
			}
			if declared[folder] == nil {
				declared[folder] = map[string]bool{}
				for _, found := range declaration.FindAllStringSubmatch(sourceOf(t, folder), -1) {
					declared[folder][found[1]] = true
				}
			}
			assert.True(t, declared[folder][match[2]], "the sentence for %s speaks of %s, which does not exist",
				a.pattern, match[0])
		}
	}
}

// declaration is the beginning of a line that declares a name.
var declaration = regexp.MustCompile(`(?m)^(?:func|type|\t|var|const) ?(\w+)`)

// sourceOf is the source of a package of the module.
func sourceOf(t *testing.T, folder string) string {
	files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
	require.NoError(t, err)
	var b strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		b.Write(text)
	}
	require.NotZero(t, b.Len(), folder)
	return b.String()
}

// TestLookup expects names as libraries write them to be found: below other modules, for classes, and by sentences.
func TestLookup(t *testing.T) {
	rows, err := allRows()
	require.NoError(t, err)
	for name, want := range map[string]string{
		"torch.matmul": "MatMul", "torch.Tensor.masked_fill": "MaskedFill", "torch.nn.ReLU": "Relu",
		"torch.nn.CrossEntropyLoss": "CrossEntropy",
		"torch.nn.Linear":           "nn.NewLinear", "keras.layers.Dense": "nn.NewLinear",
		"flax.linen.LayerNorm": "nn.NewLayerNorm",
		"torch.optim.AdamW":    "optim.AdamW", "optax.adamw": "optim.AdamW",
		"torch.optim.lr_scheduler.ReduceLROnPlateau": "optim.NewPlateau",
		"torch.nn.init.xavier_uniform_":              "nn.XavierUniform", "keras.ops.exp": "Exp",
		"nn.NewLSTM": "nn.NewLSTM", "NewLSTM": "nn.NewLSTM", "LSTM": "nn.NewLSTM",
	} {
		found := Find(rows, name)
		if assert.NotEmpty(t, found, name) {
			assert.Equal(t, want, found[0].Name, name)
		}
	}
	assert.Equal(t, "Transpose", Lookup(rows, "torch.Tensor.t")[0].Name, "no Student's t")
	assert.Contains(t, Answer("torch.nn.DataParallel"), "reach")
	assert.Contains(t, Answer("torch.save"), "weights")
	assert.Contains(t, Answer("numpy.loadtxt"), "data.CSV")
	assert.Equal(t, "", Answer("torch.matmul"))
}
