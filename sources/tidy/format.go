package tidy

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/yamlfmt"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// formatters put the content of a file in order, by the end of its name.
var formatters = map[string]remake{
	".yaml": formatYAML,
	".yml":  formatYAML,
	".xlsx": formatCells,
	".csv":  formatCells,
	".tsv":  formatCells,
}

// Formats reports whether Format knows files of this name.
func Formats(file string) bool { return formatters[strings.ToLower(path.Ext(file))] != nil }

// FormatAll puts the named files of a project in order. What a file says is the
// same before and after; that is checked for each by reading it twice. A file
// that does not parse stays as it is, with the problem.
func FormatAll(p config.Project, ctx context.Context, schemas resource.Schemas, files []string) ([]Rewrite, error) {
	return rewritesOf(p, ctx, schemas, files, func(ctx context.Context, w *rewriter, r *Rewrite) {
		if format := formatters[strings.ToLower(path.Ext(r.File))]; format != nil {
			format(ctx, w, r)
		}
	})
}

func formatYAML(ctx context.Context, w *rewriter, r *Rewrite) {
	if problem := bounded.BrokenText(r.Before, r.File); problem != nil {
		r.Problems = append(r.Problems, *problem)
		return
	}
	style := yamlfmt.Style{Order: w.order(r.File), Quoted: keepsQuotes}
	after, err := yamlfmt.Format(r.Before, style)
	var problem *yamlfmt.Problem
	switch {
	case errors.As(err, &problem):
		r.failAt(diag.At(r.File, problem.Line, problem.Column), resource.Finding{
			Code: diag.Syntax, Message: problem.Message, Hint: problem.Hint,
		})
	case err != nil:
		r.fail(resource.Finding{Code: diag.Syntax, Message: err.Error()})
	case w.saidBy(ctx, r.File, r.Before) != w.saidBy(ctx, r.File, after):
		r.fail(changesMeaning)
	default:
		r.After = after
	}
}

// changesMeaning would be a mistake of adsync, found before anything is written.
var changesMeaning = resource.Finding{
	Code: diag.Damaged, Message: "file cannot be put in order without changing what it says; it is left as it is",
}

// keepsQuotes knows the one text that quotes make another: [clear] is the
// workbook's way to clear, ["clear"] a list with a text.
func keepsQuotes(text string) bool { return strings.EqualFold(text, "clear") }

// saidBy returns what a file says, as a source or as the project's own file.
func (w *rewriter) saidBy(ctx context.Context, name string, content []byte) string {
	if name != w.project.File {
		return draft.MeaningOf(w.read(ctx, name, content))
	}
	p := config.Project{File: name}
	problems := p.Read(content)
	p.SourcesAt = nil
	p.Policy = p.Policy.Unplaced()
	return fmt.Sprintf("%+v", p) + strings.Join(draft.ProblemsSaid(problems), "\n")
}
