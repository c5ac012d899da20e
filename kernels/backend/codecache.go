package backend

import (
	"runtime"
	"sync"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// generation is the size of code and keys, in bytes, at which a cache drops the entries that were not used since it
// last did.
const generation = 4 << 20

// codes holds the code that this process compiled recently. Programs share many kernels: those for training and
// evaluation of a model, or those for several sizes.
var codes codeCache

// codeCache holds machine code by the keys of programs.
type codeCache struct {
	mu             sync.Mutex
	recent, before map[codeKey]outcome
	size           int // of the recent entries, in bytes
}

type codeKey struct {
	program string
	target  codegen.Target
}

// outcome is the code of a program, or the reason why there is none.
type outcome struct {
	code *codegen.Code
	err  error
}

// compile returns the code of the program with a key, and compiles it if it is new.
func (c *codeCache) compile(p *rowprog.Program, key string, t codegen.Target) outcome {
	at := codeKey{key, t}
	o, known := c.find(at)
	if !known {
		o.code, o.err = codegen.Compile(p, t)
		c.put(at, o)
	}
	return o
}

// compileAll compiles the programs with some keys: new ones on all processors at once.
func (c *codeCache) compileAll(programs map[string]*rowprog.Program, t codegen.Target) map[string]outcome {
	outcomes := make(map[string]outcome, len(programs))
	work := make(chan string, len(programs))
	for key := range programs {
		work <- key
	}
	close(work)
	var mu sync.Mutex
	var group sync.WaitGroup
	var raised any // the caller recovers from it; it could not recover from a panic in another goroutine
	for range min(runtime.GOMAXPROCS(0), len(programs)) {
		group.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					mu.Lock()
					raised = v
					mu.Unlock()
				}
			}()
			for key := range work {
				o := c.compile(programs[key], key, t)
				mu.Lock()
				outcomes[key] = o
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if raised != nil {
		panic(raised)
	}
	return outcomes
}

func (c *codeCache) find(at codeKey) (outcome, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, known := c.recent[at]
	if known {
		return o, true
	}
	if o, known = c.before[at]; known {
		c.add(at, o)
	}
	return o, known
}

func (c *codeCache) put(at codeKey, o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(at, o)
}

// add makes an outcome a recent entry.
func (c *codeCache) add(at codeKey, o outcome) {
	if c.size > generation || c.recent == nil {
		c.recent, c.before, c.size = map[codeKey]outcome{}, c.recent, 0
	}
	c.recent[at] = o
	if c.size += len(at.program); o.code != nil {
		c.size += cap(o.code.Bytes)
	}
}
