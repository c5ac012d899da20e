// Package launch runs programs that were exported for XLA, by a launcher in Python that stands in this
// package: launch.py, one file, pinned to one version of jax. [Run] starts it on this machine, in one process
// or in several; on many machines, each runs launch.py by itself, with the same folder.
//
//	err := launch.Run(ctx, launch.Config{Folder: "gpt.export", Steps: 1000, Data: "train.npz", Devices: 8, Save: "gpt.safetensors"})
//
// config.go is what to run, run.go starts processes and ends them, progress.go reads what they tell, and
// python.go finds an interpreter that has jax.
package launch
