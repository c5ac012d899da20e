// Package broadloom runs the workloads with Broadloom.
package broadloom
