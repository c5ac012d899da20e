// Package weights keeps the parameters of models in files: safetensors, NumPy's .npy and .npz,
// and Hugging Face's indexes of files that hold a part each. Files are read from memory that
// the system maps, and written so that a process that dies leaves the last whole file.
//
// open.go opens files, and index.go those of several parts. load.go sets a session's parameters
// or values for a program from one, after all names and shapes were compared; convert.go brings
// numbers to a parameter's dtype, report.go tells what was found, and hints.go what most likely differs. save.go
// writes a session's parameters, write.go any values, and shards.go several files of them.
// checkpoints.go keeps the newest of many files. options.go has the options.
//
// Files of PyTorch's own format (.pt, .bin) run code when they are read, and are refused. Three
// lines of Python convert them:
//
//	import torch, safetensors.torch
//	state = torch.load("model.pt", map_location="cpu", weights_only=True)
//	safetensors.torch.save_file({k: v.contiguous() for k, v in state.items()}, "model.safetensors")
package weights
