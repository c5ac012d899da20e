package launch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// PythonVariable is the environment variable that names an interpreter of Python with jax.
const PythonVariable = "BROADLOOM_XLA_PYTHON"

// FindPython returns an interpreter that has the version of jax to which the launcher is pinned, and
// safetensors: the one that [PythonVariable] names, or else python3 of the path.
func FindPython(ctx context.Context) (string, error) {
	python := os.Getenv(PythonVariable)
	if python == "" {
		python = "python3"
	}
	path, err := exec.LookPath(python)
	if err != nil {
		return "", fmt.Errorf("launch: %w: %s names an interpreter of Python 3 that has jax %s", err, PythonVariable,
			Pinned())
	}
	const probe = "import jax, numpy, safetensors; print(jax.__version__)"
	out, err := exec.CommandContext(ctx, path, "-c", probe).CombinedOutput()
	if version := strings.TrimSpace(string(out)); err != nil || version != Pinned() {
		return "", fmt.Errorf(
			"launch: %s lacks jax %s or safetensors (%s): pip install jax==%s safetensors numpy, or name another interpreter in %s",
			path, Pinned(), lastLine(version), Pinned(), PythonVariable)
	}
	return path, nil
}

// Pinned returns the version of jax and jaxlib that the launcher wants.
func Pinned() string {
	_, after, _ := strings.Cut(string(Script), "\nPINNED = \"")
	version, _, _ := strings.Cut(after, "\"")
	return version
}

func lastLine(text string) string {
	return text[strings.LastIndexByte(text, '\n')+1:]
}
