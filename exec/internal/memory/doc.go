// Package memory says where the elements of values lie that are fed to runs, or kept from run to run: see [Value], in value.go.
package memory
