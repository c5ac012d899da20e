package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
	"github.com/broadloom/broadloom/onnx"
)

// apart separates the files of ONNX among a command's arguments from patterns of packages.
func apart(args []string) (files, packages []string) {
	for _, a := range args {
		if strings.EqualFold(filepath.Ext(a), ".onnx") {
			files = append(files, a)
		} else {
			packages = append(packages, a)
		}
	}
	return files, packages
}

// runFiles runs an action on models in files of ONNX, in this program.
func runFiles(ctx context.Context, files []string, o models.Options) (outcomes []models.Outcome, problems []string) {
	for _, path := range files {
		if o.Action.Run == nil {
			problems = append(problems,
				path+": this command takes packages; check, draw and profile also take ONNX models")
			continue
		}
		outcome, err := runFile(ctx, path, o)
		switch {
		case ctx.Err() != nil:
			return nil, []string{"interrupted"}
		case err != nil:
			problems = append(problems, err.Error())
		default:
			outcomes = append(outcomes, *outcome)
		}
	}
	return outcomes, problems
}

// runFile runs it on one.
func runFile(ctx context.Context, path string, o models.Options) (*models.Outcome, error) {
	m, err := onnx.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if !o.Match(m.Name()) {
		return nil, fmt.Errorf("-run matches nothing in %s: the model is called %s", path, m.Name())
	}
	built, err := buildFile(m, o.Sizes)
	if err != nil {
		return nil, err
	}
	args, err := json.Marshal(o.Args)
	if err != nil {
		return nil, err
	}
	outcome := &models.Outcome{Model: models.Model{Name: m.Name(), File: path}}
	done := make(chan error, 1)
	go func() {
		result, err := o.Action.Run(built.Graph, args)
		if err == nil {
			outcome.Result, err = json.Marshal(result)
		}
		done <- err
	}()
	limit := time.NewTimer(o.Timeout)
	defer limit.Stop()
	select {
	case err = <-done:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-limit.C:
		err = fmt.Errorf("it takes more than %v", o.Timeout)
	}
	if err != nil {
		return &models.Outcome{Model: outcome.Model, Failure: err.Error()}, nil
	}
	return outcome, nil
}

// buildFile builds the graph of a model for all sizes or, if that fails, for the given ones.
func buildFile(m *onnx.Model, given sizes) (*onnx.Built, error) {
	built, err := m.Build()
	if _, isRefused := errors.AsType[*onnx.BuildError](err); !isRefused || len(given) == 0 {
		return built, err
	}
	var opts []onnx.Option
	for _, name := range slices.Sorted(maps.Keys(given)) {
		opts = append(opts, onnx.Size(name, int(given[name])))
	}
	if built, err = m.Build(opts...); err != nil {
		return nil, err
	}
	for name := range given { // the model had it
		built.Graph.Dim(name)
	}
	return built, nil
}
