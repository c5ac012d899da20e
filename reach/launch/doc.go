// Package launch runs programs that were exported for XLA, with a launcher in Python that is part of this
// package: launch.py, one file, pinned to one version of jax. [Run] starts it on this machine, in one process
// or in several; on many machines, each runs launch.py by itself, with the same folder.
//
//	err := launch.Run(ctx, launch.Config{Folder: "gpt.export", Steps: 1000, Data: "train.npz", Devices: 8, Save: "gpt.safetensors"})
//
// config.go specifies what to run, run.go starts and ends processes, progress.go reads their progress, and
// python.go finds an interpreter that has jax.
package launch
