// Package axisflow follows the axes of values through a program.
package axisflow
