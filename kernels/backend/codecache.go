package backend

import (
	"runtime"
	"sync"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

// generation is the number of bytes of code, with the keys, from which on a cache forgets what nobody has asked for since it last did.
const generation = 4 << 20

// codes is the code that this process has compiled lately. Its programs have many kernels in common: those that train a model and
// those that evaluate it, or those for several sizes.
var codes codeCache

// codeCache keeps machine code by the programs' keys.
type codeCache struct {
	mu             sync.Mutex
	recent, before map[codeKey]outcome
	size           int // bytes of what is recent
}

type codeKey struct {
	program string
	target  codegen.Target
}

// outcome is a program's code, or why there is none.
type outcome struct {
	code *codegen.Code
	err  error
}

// compile compiles a program of some key, if it is new.
func (c *codeCache) compile(p *rowprog.Program, key string, t codegen.Target) outcome {
	at := codeKey{key, t}
	o, known := c.find(at)
	if !known {
		o.code, o.err = codegen.Compile(p, t)
		c.put(at, o)
	}
	return o
}

// compileAll compiles the programs of some keys, those that are new on all processors at once.
func (c *codeCache) compileAll(programs map[string]*rowprog.Program, t codegen.Target) map[string]outcome {
	outcomes := make(map[string]outcome, len(programs))
	work := make(chan string, len(programs))
	for key := range programs {
		work <- key
	}
	close(work)
	var mu sync.Mutex
	var group sync.WaitGroup
	var raised any // the caller's to recover from, whom a panic of another goroutine would not reach
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

// add makes an outcome a recent one.
func (c *codeCache) add(at codeKey, o outcome) {
	if c.size > generation || c.recent == nil {
		c.recent, c.before, c.size = map[codeKey]outcome{}, c.recent, 0
	}
	c.recent[at] = o
	if c.size += len(at.program); o.code != nil {
		c.size += cap(o.code.Bytes)
	}
}
