//go:build !(linux || freebsd || netbsd || darwin || (windows && amd64))

package jit

import "errors"

func reserve(int) ([]byte, error) { return nil, errors.New("not on this system") }

func makeExecutable([]byte) error { return errors.New("not on this system") }

func unmap([]byte) {}
