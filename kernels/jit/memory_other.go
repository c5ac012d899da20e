//go:build !linux && !freebsd && !netbsd

package jit

func mapExecutable([]byte) ([]byte, error) { return nil, ErrUnavailable }

func unmap([]byte) {}
