// Package sarif writes problems in the Static Analysis Results Interchange Format, version 2.1.0, which code hosts show
// at the lines of the files. It says what diag says and nothing else.
package sarif

import (
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"path"
	"strings"

	"adsync/internal/diag"
)

// Log is what one run of adsync found.
type Log struct {
	Version  string // of adsync
	Folder   string // of the project, a slash path from the top of the repository; "" for the top
	Problems []diag.Problem
	Failure  string // why the run did not come to its end, "" where it did
}

// The objects of the format that are written, by its own names.
type (
	document struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}
	run struct {
		Tool        tool         `json:"tool"`
		Invocations []invocation `json:"invocations"`
		Results     []result     `json:"results"`
	}
	tool struct {
		Driver driver `json:"driver"`
	}
	driver struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
		Rules   []rule `json:"rules"`
	}
	rule struct {
		ID               string `json:"id"`
		ShortDescription text   `json:"shortDescription"`
		FullDescription  text   `json:"fullDescription"`
		Help             text   `json:"help"`
	}
	text struct {
		Text string `json:"text"`
	}
	invocation struct {
		ExecutionSuccessful        bool           `json:"executionSuccessful"`
		ToolExecutionNotifications []notification `json:"toolExecutionNotifications,omitempty"`
	}
	notification struct {
		Level   string `json:"level"`
		Message text   `json:"message"`
	}
	result struct {
		RuleID    string     `json:"ruleId"`
		RuleIndex int        `json:"ruleIndex"`
		Level     string     `json:"level"`
		Message   text       `json:"message"`
		Locations []location `json:"locations"`
	}
	location struct {
		PhysicalLocation physicalLocation `json:"physicalLocation"`
	}
	physicalLocation struct {
		ArtifactLocation artifactLocation `json:"artifactLocation"`
		Region           region           `json:"region"`
	}
	artifactLocation struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId"`
	}
	region struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
)

const schemaAddress = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Write writes the log.
func Write(w io.Writer, log Log) error {
	found := run{
		Tool:        tool{driver{Name: "adsync", Version: log.Version, Rules: []rule{}}},
		Invocations: []invocation{{ExecutionSuccessful: log.Failure == ""}},
		Results:     []result{},
	}
	if log.Failure != "" {
		found.Invocations[0].ToolExecutionNotifications = []notification{{"error", text{diag.Printable(log.Failure)}}}
	}
	indices := map[diag.Code]int{}
	for _, p := range log.Problems {
		at, known := indices[p.Code]
		if !known {
			at = len(indices)
			indices[p.Code] = at
			found.Tool.Driver.Rules = append(found.Tool.Driver.Rules, ruleOf(p.Code))
		}
		found.Results = append(found.Results, result{
			RuleID: string(p.Code), RuleIndex: at, Level: cmp.Or(string(p.Severity), string(diag.Error)),
			Message: text{said(p)}, Locations: []location{locate(p.Position, log.Folder)},
		})
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(document{schemaAddress, "2.1.0", []run{found}})
}

func ruleOf(code diag.Code) rule {
	e, known := diag.Explain(code)
	if !known {
		e.Means, e.Why, e.Do = string(code), string(code), string(code)
	}
	return rule{string(code), text{e.Means}, text{e.Why}, text{e.Do}}
}

// said is the message and the hint, behind the cell where a workbook has no lines to show it at.
func said(p diag.Problem) string {
	message := diag.Printable(p.Message)
	if sheet := p.Position.Sheet(); sheet != "" {
		message = diag.Printable(strings.TrimSuffix(sheet+"!"+p.Position.Cell(), "!")) + ": " + message
	}
	return strings.TrimSuffix(message+"\n"+diag.Printable(p.Hint), "\n")
}

// locate is where a problem is shown: one of no file is the project's. GitHub takes no place without a line: of a cell
// it is the row, and of a whole file the first.
func locate(at diag.Position, folder string) location {
	file := at.File()
	if file == "" {
		file = "adsync.yaml"
	}
	uri := url.URL{Path: path.Join(folder, file)}
	return location{physicalLocation{
		ArtifactLocation: artifactLocation{uri.String(), "%SRCROOT%"},
		Region:           region{max(1, at.Line()), max(0, at.Column())},
	}}
}
