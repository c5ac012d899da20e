package doctest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/broadloom/broadloom"

// TestDocuments compiles all blocks of the documents in one build and runs those that are
// whole programs.
func TestDocuments(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	b := newBuild(t, root)
	for _, block := range documents(t, root) {
		b.add(block)
	}
	binary := b.build()
	for _, p := range b.programs {
		t.Run(p.block.String(), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var stdout, stderr bytes.Buffer
			run := exec.CommandContext(ctx, binary, p.name)
			// places are written relative to it
			run.Dir, run.Stdout, run.Stderr = filepath.Join(b.dir, p.name), &stdout, &stderr
			require.NoError(t, run.Run(), "%s%s", stdout.String(), stderr.String())
			switch {
			case p.block.HasOutput && *update:
				replaceOutput(t, root, p.block, stdout.String())
			case p.block.HasOutput:
				assert.Equal(t, strings.TrimSpace(p.block.Output), strings.TrimSpace(stdout.String()))
			}
		})
	}
}

var update = flag.Bool("update", false, "write what the programs print into the documents")

// replaceOutput writes what a block prints below it.
func replaceOutput(t *testing.T, root string, block Block, output string) {
	file := filepath.Join(root, filepath.FromSlash(block.File))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	was := block.Code + fence + "\n\n" + fence + "text\n"
	now := strings.Replace(string(text), was+block.Output, was+strings.TrimSpace(output)+"\n", 1)
	require.NoError(t, os.WriteFile(file, []byte(now), 0o644))
}

// documents reads the blocks of all documents.
func documents(t *testing.T, root string) (blocks []Block) {
	for _, name := range documentFiles(t, root) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err)
		found, err := Find(name, string(text))
		require.NoError(t, err)
		blocks = append(blocks, found...)
	}
	require.NotEmpty(t, blocks)
	return blocks
}

// documentFiles returns the documents for users, relative to the module's root: README.md and all
// below docs.
func documentFiles(t *testing.T, root string) []string {
	files := []string{"README.md"}
	require.NoError(t, fs.WalkDir(os.DirFS(root), "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" {
			files = append(files, name)
		}
		return err
	}))
	require.Greater(t, len(files), 1)
	return files
}

// build makes one program of many blocks: each is a package of a module beside this one,
// with a driver that runs the one that it is told. The files stay while it runs, since
// messages name values as the user's source does.
type build struct {
	t        *testing.T
	root     string // of this module
	dir      string // of the module of blocks
	count    int
	programs []program
	inside   map[string]string // an overlay: further files of packages of this module
	packages []string          // those packages
	imports  []string
	driver   strings.Builder
}

// program is a block that can be run.
type program struct {
	name  string
	block Block
}

func newBuild(t *testing.T, root string) *build {
	b := &build{t: t, root: root, dir: t.TempDir(), inside: map[string]string{}}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	text := strings.Replace(string(mod), "module "+module, "module blocks", 1)
	b.write("go.mod", fmt.Sprintf("%s\nrequire %s v0.0.0\nreplace %[2]s => %s\n", text, module, strconv.Quote(root)))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	b.write("go.sum", string(sums))
	return b
}

func (b *build) add(block Block) {
	name := fmt.Sprintf("block%d", b.count)
	b.count++
	pkg := name
	if block.In != "" {
		pkg = path.Base(block.In)
	}
	source, tests, hasMain, err := block.Source(pkg)
	require.NoError(b.t, err)
	file := b.write(filepath.Join(name, fileName(block)), source)
	if block.In != "" {
		b.packages = append(b.packages, "./"+block.In)
		b.inside[filepath.Join(b.root, filepath.FromSlash(block.In), name+".go")] = file
		return
	}
	use := "_"
	if hasMain || len(tests) > 0 {
		use = name
		b.programs = append(b.programs, program{name, block})
		fmt.Fprintf(&b.driver, "case %q:\n", name)
	}
	b.imports = append(b.imports, fmt.Sprintf("%s %q", use, "blocks/"+name))
	if hasMain {
		fmt.Fprintf(&b.driver, "%s.Main()\n", name)
		return
	}
	for _, test := range tests {
		fmt.Fprintf(&b.driver, "check(%q, %s.%s)\n", test, name, test)
	}
}

// fileName is the name that messages have the block under.
func fileName(block Block) string {
	if strings.Contains(block.Code, modelMark) {
		return "model.go"
	}
	return "main.go"
}

// write puts a file into the module of blocks.
func (b *build) write(name, text string) (file string) {
	file = filepath.Join(b.dir, name)
	require.NoError(b.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(b.t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// build compiles everything and gives the driver's file.
func (b *build) build() string {
	b.write(filepath.Join("driver", "main.go"), fmt.Sprintf(driver, strings.Join(b.imports, "\n"), b.driver.String()))
	binary := filepath.Join(b.dir, "driver.exe")
	b.goBuild(b.dir, "-mod=mod", "-ldflags=-s", "-o", binary, "./driver")
	if len(b.inside) > 0 {
		overlay, err := json.Marshal(map[string]any{"Replace": b.inside})
		require.NoError(b.t, err)
		b.goBuild(b.root, append([]string{"-overlay", b.write("overlay.json", string(overlay))}, b.packages...)...)
	}
	return binary
}

func (b *build) goBuild(dir string, args ...string) {
	cmd := exec.CommandContext(b.t.Context(), "go", append([]string{"build"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(b.t, err, "%s", out)
}

const driver = `package main

import (
	"flag"
	"fmt"
	"os"
	"testing"

	%s
)

func check(name string, f func(*testing.T)) {
	testing.Init()
	flag.CommandLine.Parse(nil)
	all := func(string, string) (bool, error) { return true, nil }
	if !testing.RunTests(all, []testing.InternalTest{{Name: name, F: f}}) {
		os.Exit(1)
	}
}

func main() {
	switch name := os.Args[1]; name {
	%s
	default:
		fmt.Fprintln(os.Stderr, "no block", name)
		os.Exit(1)
	}
}
`
