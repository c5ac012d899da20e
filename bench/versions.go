package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/broadloom/broadloom/bench/suite"
)

// buildSettings are those that change the code that is measured.
var buildSettings = map[string]bool{
	"-tags": true, "-gcflags": true, "-race": true, "-pgo": true, "CGO_ENABLED": true,
	"GOAMD64": true, "GOARM64": true, "GOEXPERIMENT": true, "GOFLAGS": true,
}

// writeVersions prints what a table must be labelled with: machine, Go, build
// settings, and the versions of each library's modules.
func writeVersions(out io.Writer, peers []suite.Peer) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this program was built without module support")
	}
	fmt.Fprintf(out, "machine\t%s/%s, %d CPUs, %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), vectors())
	fmt.Fprintf(out, "go\t%s%s\n", info.GoVersion, settings(info))
	for _, p := range peers {
		var versions []string
		for _, path := range p.Modules() {
			versions = append(versions, path+" "+version(info, path))
		}
		fmt.Fprintf(out, "%s\t%s\n", p.Name(), strings.Join(versions, ", "))
	}
	return nil
}

// vectors names the instruction sets that matter here.
func vectors() string {
	has := []string{}
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"AVX2", cpu.X86.HasAVX2},
		{"FMA", cpu.X86.HasFMA},
		{"AVX-512", cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW},
		{"NEON", cpu.ARM64.HasASIMD},
	} {
		if f.has {
			has = append(has, f.name)
		}
	}
	if len(has) == 0 {
		return "no known vector instructions"
	}
	return strings.Join(has, " ")
}

// settings lists the build's settings that are not empty.
func settings(info *debug.BuildInfo) string {
	var text strings.Builder
	for _, s := range info.Settings {
		if buildSettings[s.Key] && s.Value != "" {
			fmt.Fprintf(&text, " %s=%s", s.Key, s.Value)
		}
	}
	return text.String()
}

// version finds a module among those that the program was built from.
func version(info *debug.BuildInfo, path string) string {
	for _, m := range info.Deps {
		if m.Path != path {
			continue
		}
		if m.Replace != nil && m.Replace.Version == "" {
			return "(this checkout)"
		}
		if m.Replace != nil {
			m = m.Replace
		}
		return m.Version
	}
	return "(not linked)"
}
