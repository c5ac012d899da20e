package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/examples/internal/datasets"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/shapeinfer/shapetest"
	"github.com/broadloom/broadloom/weights"
)

func TestShapes(t *testing.T) { shapetest.Check(t, checked()) }

// started is a server on loopback.
type started struct {
	url     string
	model   *model
	trained *exec.Session
	stop    func() error // waits until it has ended
}

func start(t *testing.T, sessions, most int, delay time.Duration) started {
	m := newModel()
	trained, err := m.train(t.Context(), 1)
	require.NoError(t, err)
	b, err := newBatcher(m, trained, sessions, most, delay)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		defer b.close()
		ended <- serve(ctx, listener, b)
	}()
	stop := sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { assert.NoError(t, stop()) })
	return started{"http://" + listener.Addr().String(), m, trained, stop}
}

// ask returns the server's answer to an image.
func (s started) ask(client *http.Client, image []float32) (p prediction, err error) {
	body, err := json.Marshal(map[string]any{"image": image})
	if err != nil {
		return p, err
	}
	response, err := client.Post(s.url+"/predict", "application/json", bytes.NewReader(body))
	if err != nil {
		return p, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		return p, fmt.Errorf("%s: %s", response.Status, text)
	}
	return p, json.NewDecoder(response.Body).Decode(&p)
}

// images returns some digits, and a session's result for each of them alone.
func (s started) images(t *testing.T, n int) (images, want [][]float32) {
	digits, err := datasets.Digits()
	require.NoError(t, err)
	prog, err := exec.Compile(s.model.graph, exec.Outputs(s.model.probabilities))
	require.NoError(t, err)
	alone := prog.NewSession(exec.ShareParams(s.trained))
	for i := range n {
		x, _ := digits.Batch([]int{i})
		images = append(images, x)
		probabilities, err := s.model.predict(alone, images[i])
		require.NoError(t, err)
		want = append(want, slices.Clone(probabilities))
	}
	return images, want
}

// TestNoAnswerIsLostOrMixed sends 1,024 requests from 64 clients, and compares each answer with that for
// the image alone.
func TestNoAnswerIsLostOrMixed(t *testing.T) {
	s := start(t, 3, 16, time.Millisecond)
	const clients, each = 64, 16
	images, want := s.images(t, clients*each)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := c * each; i < (c+1)*each; i++ {
				got, err := s.ask(client, images[i])
				if !assert.NoError(t, err) {
					return
				}
				assert.InDeltaSlice(t, want[i], got.Probabilities, 1e-6, "image %d", i)
			}
		})
	}
	all.Wait()
}

// TestShutdownAnswersWhatHasBegun stops the server while requests wait for others.
func TestShutdownAnswersWhatHasBegun(t *testing.T) {
	s := start(t, 1, 1000, time.Minute)
	images, want := s.images(t, 20)
	var all, begun sync.WaitGroup
	for i := range images {
		begun.Add(1)
		all.Go(func() {
			client := &http.Client{
				Transport: &http.Transport{
					DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
						defer begun.Done()
						return (&net.Dialer{}).DialContext(ctx, network, address)
					}}}
			got, err := s.ask(client, images[i])
			if assert.NoError(t, err) {
				assert.InDeltaSlice(t, want[i], got.Probabilities, 1e-6)
			}
		})
	}
	begun.Wait()
	time.Sleep(200 * time.Millisecond) // until the requests were read
	require.NoError(t, s.stop())
	all.Wait()
	_, err := s.ask(http.DefaultClient, images[0])
	require.Error(t, err, "nothing listens any more")
}

func TestRequestsThatAreMistaken(t *testing.T) {
	s := start(t, 1, 4, time.Millisecond)
	for body, want := range map[string]string{
		`{"image": [1, 2]}`: "image must have 64 numbers, and has 2",
		`{}`:                "image must have 64 numbers, and has 0",
		`not JSON`:          "invalid character",
		`{"image": [` + strings.Repeat("1,", maxBody) + `1]}`: "too large",
	} {
		response, err := http.Post(s.url+"/predict", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		assert.Equal(t, http.StatusBadRequest, response.StatusCode)
		assert.Contains(t, string(text), want)
		require.NoError(t, response.Body.Close())
	}
	response, err := http.Get(s.url + "/health")
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, response.StatusCode)
	require.NoError(t, response.Body.Close())
}

// A client that disconnects takes no slot in a run, and does not delay others.
func TestClientsThatGoAway(t *testing.T) {
	m := newModel()
	trained, err := m.train(t.Context(), 1)
	require.NoError(t, err)
	b, err := newBatcher(m, trained, 1, 2, time.Minute)
	require.NoError(t, err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.predict(gone, make([]float32, pixels))
	require.ErrorIs(t, err, context.Canceled)
	b.close()
	b.close()
	_, err = b.predict(t.Context(), make([]float32, pixels))
	require.ErrorIs(t, err, errStopped)
}

func TestParametersFromAFile(t *testing.T) {
	m := newModel()
	trained, err := m.train(t.Context(), 1)
	require.NoError(t, err)
	prog, err := exec.Compile(m.graph, exec.Outputs(m.probabilities))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "digits.safetensors")
	require.NoError(t, weights.Save(file, prog.NewSession(exec.ShareParams(trained))))
	read, err := newModel().parameters(t.Context(), file)
	require.NoError(t, err)
	require.NotNil(t, read)
	_, err = newModel().parameters(t.Context(), "absent.safetensors")
	require.ErrorContains(t, err, "absent.safetensors")
}
