package findings

import (
	"io"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/broadloom/broadloom/graph"
)

// rootID names the directory of the repository in SARIF.
const rootID = "%SRCROOT%"

// SARIF returns findings as a SARIF 2.1.0 report. Files are named relative to root, the directory of the repository.
// complete says whether all models could be checked.
func SARIF(root, version string, list []Finding, complete bool) *sarif.Report {
	s := sarifWriter{root: root, rules: map[string]int{}}
	s.run = sarif.NewRunWithInformationURI("broadloom", "https://github.com/broadloom/broadloom")
	s.run.Tool.Driver.WithVersion(version)
	s.run.AddInvocation(sarif.NewInvocation().WithExecutionSuccessful(complete))
	s.run.WithOriginalUriBaseIds(map[string]sarif.ArtifactLocation{
		rootID: *sarif.NewSimpleArtifactLocation(fileURI(strings.TrimSuffix(root, "/") + "/"))})
	s.run.WithColumnKind("unicodeCodePoints")
	for _, f := range list {
		s.add(f)
	}
	report := sarif.NewReport()
	report.AddRun(s.run)
	return report
}

// WriteSARIF writes the report of [SARIF] as JSON.
func WriteSARIF(w io.Writer, root, version string, list []Finding, complete bool) error {
	return SARIF(root, version, list, complete).PrettyWrite(w)
}

// sarifWriter adds findings to a run.
type sarifWriter struct {
	root  string
	run   *sarif.Run
	rules map[string]int // by code
}

func (s *sarifWriter) add(f Finding) {
	result := sarif.NewRuleResult(f.Code).WithRuleIndex(s.rule(f.Code)).WithLevel(f.Severity.String()).
		WithMessage(sarif.NewTextMessage(f.Text()))
	if f.At.File != "" {
		result.AddLocation(s.location(f.At))
	}
	for i, r := range f.Related {
		result.AddRelatedLocation(s.location(r.At).WithID(i + 1).WithMessage(sarif.NewTextMessage(r.Text)))
	}
	s.run.AddResult(result)
}

func (s *sarifWriter) location(at Place) *sarif.Location {
	artifact := sarif.NewSimpleArtifactLocation(fileURI(at.File))
	if path, ok := below(s.root, at.File); ok {
		artifact = sarif.NewSimpleArtifactLocation(
			strings.TrimPrefix(fileURI("/"+path), "file:///")).WithURIBaseID(rootID)
	}
	physical := sarif.NewPhysicalLocation().WithArtifactLocation(artifact)
	if at.Line > 0 {
		region := sarif.NewRegion().WithStartLine(at.Line)
		if column := at.codePoints(); column > 0 {
			region.WithStartColumn(column)
		}
		physical.WithRegion(region)
	}
	return sarif.NewLocationWithPhysicalLocation(physical)
}

// rule returns the number of a code's rule.
func (s *sarifWriter) rule(code string) int {
	if at, known := s.rules[code]; known {
		return at
	}
	meaning, help := "A model could not be checked.", "Fix the model's function."
	all := graph.Explanations()
	if i := slices.IndexFunc(all, func(e graph.Explanation) bool { return string(e.Code) == code }); i >= 0 {
		meaning, help = all[i].Meaning, all[i].Cure
	}
	rule := sarif.NewRule(code).WithShortDescription(text(meaning)).WithHelp(text(help))
	s.run.Tool.Driver.AddRule(rule)
	s.rules[code] = len(s.rules)
	return s.rules[code]
}

func text(t string) *sarif.MultiformatMessageString {
	t = strings.Join(strings.Fields(t), " ")
	return sarif.NewMultiformatMessageString().WithText(t)
}
