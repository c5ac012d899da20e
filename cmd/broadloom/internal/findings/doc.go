// Package findings holds what the command finds in models, and writes it in the formats of other programs.
//
//   - findings.go: a finding, and the findings of a report
//   - failure.go: why a model could not be checked
//   - place.go: positions in files, and their form in each format
//   - sarif.go: the Static Analysis Results Interchange Format, which code scanning services read
//   - github.go: the commands of GitHub Actions that annotate lines
package findings
