package suite

import "errors"

// ErrNotExpressible is the error of Prepare for a workload that a library cannot express.
var ErrNotExpressible = errors.New("not expressible")

// Config is what the command line asks of a library.
type Config struct {
	// Threads is also the value of GOMAXPROCS.
	Threads int
	// ISA is the instruction set that Broadloom's kernels may use: avx512,
	// avx2, portable, or empty for the best that the machine has. Other
	// libraries choose for themselves.
	ISA string
}

// Peer is a library that takes part.
type Peer interface {
	// Name is the label of the records.
	Name() string
	// Mode says, in a word, how the library runs: an instruction set, a kind
	// of machine, an experiment that it was built with.
	Mode(Config) string
	// Modules lists the paths of the Go modules whose versions matter.
	Modules() []string
	// Prepare does all that a program does once: it builds the graph,
	// differentiates, compiles and binds the inputs.
	Prepare(Workload, *Inputs, Config) (Program, error)
}

// Program is a prepared workload.
type Program interface {
	// Step makes one call. When it returns, the results lie where Results
	// finds them without further computation.
	Step() error
	// Results are the outputs of the latest call, as flat slices in the order
	// in which the Kind names them; a training step's only result is the loss
	// that it computed before it changed the parameters. They are valid until
	// the next Step.
	Results() ([][]float32, error)
}
