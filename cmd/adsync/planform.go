package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"adsync/internal/planview"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// planForm is a form of a plan that -o names.
type planForm struct {
	write     func(w io.Writer, d *planDocument) error // nil for what needs more than the document
	onFailure bool                                     // printed where there is no plan, too: it says why
}

var planForms = map[string]planForm{
	"text":     {},
	"json":     {func(w io.Writer, d *planDocument) error { return writeJSON(w, d) }, true},
	"ndjson":   {planview.WriteNDJSON, true},
	"markdown": {func(w io.Writer, d *planDocument) error { return planview.WriteMarkdown(w, schemas(), d) }, true},
	"html":     {func(w io.Writer, d *planDocument) error { return planview.WriteHTML(w, schemas(), d) }, true},
	"github":   {onFailure: true},
	"xlsx":     {}, // of the plan and the user's workbook; see writePlanBook
}

// formNames are the forms in the order help lists them.
func formNames() []string {
	return []string{"text", "json", "ndjson", "markdown", "html", "xlsx", "github"}
}

func formFlags(c *cobra.Command, f *planFlags) {
	c.Flags().BoolVar(&f.full, "full", false, "list every change and field, however long the plan is")
	c.Flags().StringVar(&f.file, "output-file", "", "file for the output, instead of standard output")
}

// printPlan writes the form -o asks for, to where it is wanted.
func (a *app) printPlan(l loaded, f planFlags, d *planDocument) error {
	if f.file == "" {
		return a.writePlan(l, a.out, f, d)
	}
	file, err := outputFile(l, "--output-file", f.file, f.force)
	if err != nil {
		return err
	}
	return file.write(func(w io.Writer) error { return a.writePlan(l, w, f, d) })
}

func (a *app) writePlan(l loaded, w io.Writer, f planFlags, d *planDocument) error {
	if write := planForms[a.flags.output].write; write != nil {
		return write(w, d)
	}
	if a.flags.output == "github" {
		return planview.WriteAnnotations(w, schemas(), d, a.inRepository(l.project.Root))
	}
	return planview.WriteText(w, schemas(), d, planview.TextOptions{Color: w == a.out && a.colorful(), Width: widthOf(w), Full: f.full})
}

// inRepository is the project's folder as annotations name it: from the folder
// GitHub checked the repository out to, else from where the command runs.
func (a *app) inRepository(root string) string {
	if a.git != nil {
		return strings.TrimPrefix(a.git.store.SubPath(), ".")
	}
	top := a.env("GITHUB_WORKSPACE")
	if top == "" {
		top = "."
	}
	inside, err := below(top, root)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(inside)
}

// widthOf is how many columns a terminal has; 0 where it is none.
func widthOf(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}
