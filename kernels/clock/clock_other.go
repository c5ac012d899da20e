//go:build !windows

package clock

import "time"

var origin = time.Now()

func now() time.Duration { return time.Since(origin) }
