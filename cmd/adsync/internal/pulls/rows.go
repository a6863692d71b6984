package pulls

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"adsync/cmd/adsync/internal/planning"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/internal/planview"
	"adsync/plan"
	"adsync/sources/marked"
)

// resultsOf writes what became of rows into the files that take it.
func resultsOf(env *session.Env, l session.Loaded, account string, rows []marked.RowOutcome) planning.Proposal {
	base := env.Git.Revision.Commit
	p := planning.Proposal{Answer: gitstore.Answer{
		Branch: "adsync/results-" + runs.RefWord(account), Base: base, Files: map[string][]byte{},
		Message: fmt.Sprintf("Write results into the files\n\nAccount: %s\nCommit: %s\n", account, base),
	}}
	var left []string
	for _, source := range l.Desired.Sources {
		if !marked.TakesResults(source.File) || source.Hash == "" {
			continue
		}
		filled, err := marked.Filled(l.Project, l.Schemas, source, rows)
		switch {
		case err != nil:
			left = append(left, source.File+": "+err.Error())
		case filled != nil:
			p.Answer.Files[path.Join(env.Git.Store.SubPath(), source.File)] = filled
		}
	}
	p.Title = fmt.Sprintf("Write the results of %s into %s", account, diag.Plural(len(p.Answer.Files), "file"))
	p.Text = resultsText(rows, left)
	return p
}

// resultsText says what became of rows, and which files do not say it.
func resultsText(rows []marked.RowOutcome, left []string) string {
	var text strings.Builder
	text.WriteString("Merging this pull request writes results, keys and ids into the rows. Nothing is sent.\n")
	told := 0
	for i := range rows {
		row := &rows[i]
		if row.Result == session.ResultNoChange && row.Message == "" {
			continue
		}
		if told++; told == 1 {
			text.WriteString("\n| what | result | id | message |\n|---|---|---|---|\n")
		}
		if told > mostTold {
			continue
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", planview.Cell(diag.Printable(row.Address.String())),
			cmp.Or(row.Shown, row.Result), textOf(row.ID), textOf(row.Message))
	}
	if told > mostTold {
		fmt.Fprintf(&text, "\n… and %d more.\n", told-mostTold)
	}
	if told == 0 {
		text.WriteString("\nThese are keys and ids alone.\n")
	}
	for i, file := range left {
		if i == 0 {
			text.WriteString("\n**Not in it**:\n\n")
		}
		if i == mostListed {
			fmt.Fprintf(&text, "- … and %d more\n", len(left)-i)
			break
		}
		fmt.Fprintf(&text, "- %s\n", planview.Code(diag.Printable(file)))
	}
	return text.String()
}

// mostMessage is how many characters of a message a pull request has: a forge takes 65,536 of all that it says.
const mostMessage = 300

// textOf is a message as a cell of a table.
func textOf(message string) string {
	if r := []rune(message); len(r) > mostMessage {
		message = string(r[:mostMessage]) + "…"
	}
	if message == "" {
		return ""
	}
	return planview.Cell(diag.Printable(message))
}

// digestOf is of what became of rows; "" where nothing is to be said.
func digestOf(rows []marked.RowOutcome) string {
	var texts []string
	for _, row := range rows {
		if row.ID != "" || row.Result != session.ResultNoChange || row.Message != "" {
			texts = append(texts, row.Address.String(), row.Result, row.Shown, row.Message, row.ID)
		}
	}
	if texts == nil {
		return ""
	}
	return plan.DigestOfTexts(texts...)
}
