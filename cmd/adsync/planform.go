package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
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
	c.Flags().StringArrayVar(&f.also, "also", nil,
		"write the same plan in another form into a file, such as html=plan.html (repeatable)")
}

// alsoForm is one more form of a plan, and the file it goes to.
type alsoForm struct{ form, file string }

// alsoForms reads --also, before anything is asked of the service.
func (f planFlags) alsoForms() ([]alsoForm, error) {
	var all []alsoForm
	for _, text := range f.also {
		form, file, _ := strings.Cut(text, "=")
		if _, known := planForms[form]; !known || form == "xlsx" || file == "" {
			named := slices.DeleteFunc(formNames(), func(name string) bool { return name == "xlsx" })
			return nil, configuration("--also is %q; want a form and a file, such as html=plan.html: %s",
				text, orList(named))
		}
		all = append(all, alsoForm{form, file})
	}
	return all, nil
}

// printPlan writes the form -o asks for, to where it is wanted, and the forms of --also.
func (a *app) printPlan(l loaded, f planFlags, d *planDocument) error {
	if err := a.writeAlso(l, f, d); err != nil {
		return err
	}
	if f.file != "" {
		return a.writeForm(l, f, alsoForm{a.flags.output, f.file}, "--output-file", d)
	}
	return a.writePlan(l, a.out, a.flags.output, f, d)
}

// writeAlso writes the forms of --also; where there is no plan, those that say why.
func (a *app) writeAlso(l loaded, f planFlags, d *planDocument) error {
	also, err := f.alsoForms()
	for _, one := range also {
		if err == nil && (d.Error == "" || planForms[one.form].onFailure) {
			err = a.writeForm(l, f, one, "--also", d)
		}
	}
	return err
}

func (a *app) writeForm(l loaded, f planFlags, to alsoForm, flag string, d *planDocument) error {
	file, err := outputFile(l, flag, to.file, f.force)
	if err != nil {
		return err
	}
	return file.write(func(w io.Writer) error { return a.writePlan(l, w, to.form, f, d) })
}

func (a *app) writePlan(l loaded, w io.Writer, form string, f planFlags, d *planDocument) error {
	if write := planForms[form].write; write != nil {
		return write(w, d)
	}
	if form == "github" {
		return planview.WriteAnnotations(w, schemas(), d, a.inRepository(l.project.Root))
	}
	return planview.WriteText(w, schemas(), d, planview.TextOptions{
		Color: w == a.out && a.colorful(), Width: widthOf(w), Full: f.full,
	})
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
