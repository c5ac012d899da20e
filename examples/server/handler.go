package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// maxBody is the maximum size of a request in bytes.
const maxBody = 1 << 16

// prediction is the server's answer.
type prediction struct {
	Digit         int       `json:"digit"`
	Probabilities []float32 `json:"probabilities"`
}

// newHandler answers POST /predict with {"image": [64 numbers from 0 to 1]}, and GET /health.
func newHandler(b *batcher) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "well") })
	mux.HandleFunc("POST /predict", func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Image []float32 `json:"image"`
		}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if len(asked.Image) != pixels {
			http.Error(w, fmt.Sprintf("image must have %d numbers, and has %d", pixels, len(asked.Image)),
				http.StatusBadRequest)
			return
		}
		probabilities, err := b.predict(r.Context(), asked.Image)
		switch {
		case errors.Is(err, errStopped), errors.Is(err, context.Canceled):
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		p := prediction{Probabilities: probabilities}
		for class, v := range probabilities {
			if v > probabilities[p.Digit] {
				p.Digit = class
			}
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(p) // an error means that the client has disconnected
	})
	return mux
}
