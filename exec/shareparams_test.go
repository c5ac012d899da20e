package exec_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// shared is a model with programs whose lists of parameters differ: infer is compiled before the
// optimiser declares its own, later after that.
type shared struct {
	x, t, w, y, loss    *graph.Node
	infer, train, later *exec.Program
}

func newShared(t testing.TB) *shared {
	g := graph.New("shared")
	batch := g.Dim("batch")
	m := &shared{x: g.Input("x", graph.Float32, batch, 64), t: g.Input("t", graph.Float32, batch, 160)}
	m.w = g.ParamInit("w", graph.Float32, nn.Normal(1), 64, 160) // as large as is packed
	m.y = ops.MatMul(m.x, m.w)
	compile := func(opts ...exec.Option) *exec.Program {
		p, err := exec.Compile(g, opts...)
		require.NoError(t, err)
		return p
	}
	m.infer = compile(exec.Outputs(m.y))
	m.loss = ops.MSE(m.y, m.t)
	m.train = compile(exec.Outputs(m.loss), exec.Updates(optim.Adam(0.1).Minimize(m.loss)...))
	m.later = compile(exec.Outputs(m.y))
	return m
}

func (m *shared) feed(rows int) exec.Feed {
	x, t := make([]float32, rows*64), make([]float32, rows*160)
	for i := range x {
		x[i] = float32(i%7) - 3
	}
	for i := range t {
		t[i] = float32(i % 5)
	}
	return exec.Feed{m.x: exec.Array{Shape: []int{rows, 64}, Data: x},
		m.t: exec.Array{Shape: []int{rows, 160}, Data: t}}
}

func (m *shared) infers(t testing.TB, s *exec.Session) []float32 {
	r, err := s.Run(context.Background(), m.feed(4))
	require.NoError(t, err)
	return arrayOf(t, r, m.y).Clone().Data.([]float32)
}

// Whatever other parameters programs have, and whichever session was first, each parameter is
// shared, and starts as with the seed of the first session.
func TestParametersAreSharedOneByOne(t *testing.T) {
	ctx := context.Background()
	for name, sessions := range map[string]func(m *shared) (infer, train, later *exec.Session){
		"trains first": func(m *shared) (infer, train, later *exec.Session) {
			train = m.train.NewSession(exec.Seed(3))
			return m.infer.NewSession(exec.ShareParams(train)), train, m.later.NewSession(exec.ShareParams(train))
		},
		"infers first": func(m *shared) (infer, train, later *exec.Session) {
			infer = m.infer.NewSession(exec.Seed(3))
			train = m.train.NewSession(exec.ShareParams(infer), exec.Seed(3))
			return infer, train, m.later.NewSession(exec.ShareParams(infer))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newShared(t)
			infer, train, later := sessions(m)
			plain := m.train.NewSession(exec.Seed(3))
			first := m.infers(t, infer)
			for range 5 {
				for _, s := range []*exec.Session{train, plain} {
					_, err := s.Run(ctx, m.feed(4))
					require.NoError(t, err)
				}
				loss, err := train.RunWithoutUpdates(ctx, m.feed(4))
				require.NoError(t, err)
				again, err := train.Run(ctx, m.feed(4))
				require.NoError(t, err)
				require.Equal(t, scalarOf(t, again, m.loss), scalarOf(t, loss, m.loss), "Eval reads what is trained")
				_, err = plain.Run(ctx, m.feed(4))
				require.NoError(t, err)
				want, err := plain.Param(m.w)
				require.NoError(t, err)
				for _, s := range []*exec.Session{infer, train, later} {
					got, err := s.Param(m.w)
					require.NoError(t, err)
					require.Equal(t, want, got)
				}
				require.Equal(t, m.infers(t, infer), m.infers(t, later))
			}
			require.NotEqual(t, first, m.infers(t, infer))
			for _, p := range m.w.Graph().Params() { // the optimiser's are reached by each session
				want, err := train.Param(p)
				require.NoError(t, err)
				got, err := infer.Param(p)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		})
	}
}

// A session that cannot share parameters as asked says so in each call.
func TestWrongSharing(t *testing.T) {
	m, other := newShared(t), newShared(t)
	for _, c := range []struct {
		opts []exec.SessionOption
		want string
	}{
		{[]exec.SessionOption{exec.ShareParams(other.train.NewSession())},
			"only programs of the same graph can share parameters"},
		{[]exec.SessionOption{exec.ShareParams(nil)}, "ShareParams got a nil session"},
		{[]exec.SessionOption{exec.ShareParams(m.train.NewSession(exec.Seed(1))), exec.Seed(2)},
			"Seed(2) is combined with ShareParams, but the shared parameters have seed 1"},
		{[]exec.SessionOption{exec.ShareParams(m.infer.NewSession(exec.ShareParams(nil)))},
			"ShareParams got a nil session"},
	} {
		s := m.train.NewSession(c.opts...)
		_, err := s.Run(context.Background(), m.feed(4))
		require.ErrorContains(t, err, c.want)
		_, err = s.RunWithoutUpdates(context.Background(), m.feed(4))
		require.ErrorContains(t, err, c.want)
		_, err = s.Profile(context.Background(), m.feed(4), 1)
		require.ErrorContains(t, err, c.want)
		_, err = s.Param(m.w)
		require.ErrorContains(t, err, c.want)
		require.ErrorContains(t, s.SetParam(m.w, 1), c.want)
	}
	late := m.w.Graph().Param("late", graph.Float32)
	_, err := m.train.NewSession().Param(late)
	require.ErrorContains(
		t, err, "parameter late was declared (shareparams_test.go:139:10) after the program was compiled")
}

// If an error of Compile was ignored, a session of the nil program reports it.
func TestSessionOfNoProgram(t *testing.T) {
	want, ctx := "the program is nil: Compile returned an error", context.Background()
	var none *exec.Program
	g := graph.New("none")
	w := g.Param("w", graph.Float32)
	for _, s := range []*exec.Session{none.NewSession(), none.NewSession(exec.Seed(1), exec.ShareParams(nil))} {
		_, err := s.Run(ctx, nil)
		require.ErrorContains(t, err, want)
		_, err = s.RunWithoutUpdates(ctx, nil)
		require.ErrorContains(t, err, want)
		_, err = s.Profile(ctx, nil, 1)
		require.ErrorContains(t, err, want)
		_, err = s.FirstNonFinite(ctx, nil)
		require.ErrorContains(t, err, want)
		_, err = s.Param(w)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, s.SetParam(w, 1), want)
		_, err = s.Params()
		require.ErrorContains(t, err, want)
	}
}

// Sessions that read shared parameters run at once, and see what was trained between.
func TestReadersRunAtOnce(t *testing.T) {
	m := newShared(t)
	train := m.train.NewSession()
	readers := []*exec.Session{m.infer.NewSession(exec.ShareParams(train), exec.Threads(1)),
		m.later.NewSession(exec.ShareParams(train)), m.infer.NewSession(exec.ShareParams(train))}
	for range 3 {
		_, err := train.Run(context.Background(), m.feed(4))
		require.NoError(t, err)
		want := m.infers(t, m.infer.NewSession(exec.ShareParams(train)))
		var group sync.WaitGroup
		for _, s := range readers {
			group.Go(func() {
				for range 4 { // the second run packs the weight
					r, err := s.Run(context.Background(), m.feed(4))
					if err != nil {
						t.Error(err)
						return
					}
					if got, err := exec.Values[float32](r, m.y); err != nil || got[0] != want[0] ||
						got[len(got)-1] != want[len(want)-1] {
						t.Errorf("%v %v, want %v", got, err, want)
					}
					if _, err := s.Param(m.w); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
	}
}

// A call that writes shared parameters is refused beside any other, and any other beside it.
func TestWritersAreAlone(t *testing.T) {
	m := newShared(t)
	train := m.train.NewSession()
	infer := m.infer.NewSession(exec.ShareParams(train))
	value, err := train.Param(m.w)
	require.NoError(t, err)
	reads := map[string]func() error{
		"infer": func() error { _, err := infer.Run(context.Background(), m.feed(4)); return err },
		"eval":  func() error { _, err := train.RunWithoutUpdates(context.Background(), m.feed(4)); return err },
		"param": func() error { _, err := infer.Param(m.w); return err },
	}
	writes := map[string]func() error{
		"train": func() error { _, err := train.Run(context.Background(), m.feed(4)); return err },
		"set":   func() error { return infer.SetParam(m.w, value) },
	}
	for _, beside := range []struct {
		write bool
		calls map[string]func() error
		wants error
	}{{false, reads, nil}, {false, writes, exec.ErrBusy}, {true, reads, exec.ErrBusy}, {true, writes, exec.ErrBusy}} {
		release := train.Hold(t, beside.write)
		for name, call := range beside.calls {
			require.ErrorIs(t, call(), beside.wants, "%s beside a call that writes: %v", name, beside.write)
		}
		release()
	}
	after, err := train.Param(m.w)
	require.NoError(t, err)
	require.Equal(t, value, after, "what is refused changes nothing")
	for _, calls := range []map[string]func() error{reads, writes} {
		for name, call := range calls {
			require.NoError(t, call(), "%s alone", name)
		}
	}
}
