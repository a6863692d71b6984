package runs

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/sarif"

	"github.com/spf13/cobra"
)

// planForm is a form of a plan that -o names.
type planForm struct {
	write     func(w io.Writer, d *PlanDocument) error // nil for what needs more than the document
	OnFailure bool                                     // printed where there is no plan, too: it says why
}

var PlanForms = map[string]planForm{
	"text":   {},
	"json":   {func(w io.Writer, d *PlanDocument) error { return console.WriteJSON(w, d) }, true},
	"ndjson": {planview.WriteNDJSON, true},
	"markdown": {func(w io.Writer, d *PlanDocument) error {
		return planview.WriteMarkdown(w, session.Schemas(), d)
	}, true},
	"html":   {OnFailure: true}, // of the pictures of the files, too
	"github": {OnFailure: true},
	"sarif":  {OnFailure: true}, // of the problems alone
	"xlsx":   {},                // of the plan and the user's workbook; see writePlanBook
}

// FormNames are the forms in the order help lists them.
func FormNames() []string {
	return []string{"text", "json", "ndjson", "markdown", "html", "xlsx", "github", "sarif"}
}

// FormFlags gives a command the flags that write a plan in more forms.
func FormFlags(c *cobra.Command, f *PlanFlags) {
	c.Flags().BoolVar(&f.Full, "full", false, "list every change and field, however long the plan is")
	c.Flags().StringVar(&f.file, "output-file", "", "file for the output, instead of standard output")
	c.Flags().StringArrayVar(&f.also, "also", nil,
		"write the same plan in another form into a file, such as html=plan.html (repeatable)")
}

// AlsoForm is one more form of a plan, and the file it goes to.
type AlsoForm struct{ form, file string }

// AlsoForms reads --also, before anything is asked of the service.
func (f PlanFlags) AlsoForms() ([]AlsoForm, error) {
	var all []AlsoForm
	for _, text := range f.also {
		form, file, _ := strings.Cut(text, "=")
		if _, known := PlanForms[form]; !known || form == "xlsx" || file == "" {
			named := slices.DeleteFunc(FormNames(), func(name string) bool { return name == "xlsx" })
			return nil, console.Configuration("--also is %q; want a form and a file, such as html=plan.html: %s",
				text, diag.OrList(named))
		}
		all = append(all, AlsoForm{form, file})
	}
	return all, nil
}

// PrintPlan writes the form -o asks for, to where it is wanted, and the forms of --also.
func PrintPlan(env *session.Env, l session.Loaded, f PlanFlags, d *PlanDocument) error {
	if err := WriteAlso(env, l, f, d); err != nil {
		return err
	}
	if f.file != "" {
		return writeForm(env, l, f, AlsoForm{env.Flags.Output, f.file}, "--output-file", d)
	}
	return writePlan(env, l, env.Out, env.Flags.Output, f, d)
}

// WriteAlso writes the forms of --also; where there is no plan, those that say why.
func WriteAlso(env *session.Env, l session.Loaded, f PlanFlags, d *PlanDocument) error {
	also, err := f.AlsoForms()
	for _, one := range also {
		if err == nil && (d.Error == "" || PlanForms[one.form].OnFailure) {
			err = writeForm(env, l, f, one, "--also", d)
		}
	}
	return err
}

func writeForm(env *session.Env, l session.Loaded, f PlanFlags, to AlsoForm, flag string, d *PlanDocument) error {
	file, err := OutputFile(l, flag, to.file, f.Force)
	if err != nil {
		return err
	}
	return file.Write(func(w io.Writer) error { return writePlan(env, l, w, to.form, f, d) })
}

func writePlan(env *session.Env, l session.Loaded, w io.Writer, form string, f PlanFlags, d *PlanDocument) error {
	if write := PlanForms[form].write; write != nil {
		return write(w, d)
	}
	switch form {
	case "html":
		Draw(l, d)
		return planview.WriteHTML(w, session.Schemas(), d)
	case "sarif":
		failure := d.Error
		if diag.HasErrors(d.Problems) { // which are what was looked for
			failure = ""
		}
		return WriteSARIF(env, l, w, d.Problems, failure)
	case "github":
		return planview.WriteAnnotations(w, session.Schemas(), d, inRepository(env, l.Project.Root))
	}
	return planview.WriteText(w, session.Schemas(), d, planview.TextOptions{
		Color: w == env.Out && env.Colorful(), Width: console.WidthOf(w), Full: f.Full,
	})
}

// WriteSARIF writes problems for a code host, which shows them at the lines of the files.
func WriteSARIF(env *session.Env, l session.Loaded, w io.Writer, problems []diag.Problem, failure string) error {
	return sarif.Write(w, sarif.Log{
		Version: console.Release, Folder: inRepository(env, l.Project.Root), Problems: problems, Failure: failure,
	})
}

// inRepository is the project's folder as annotations name it: from the folder
// GitHub checked the repository out to, else from where the command runs.
func inRepository(env *session.Env, root string) string {
	if env.Git != nil {
		return strings.TrimPrefix(env.Git.Store.SubPath(), ".")
	}
	top := env.Getenv("GITHUB_WORKSPACE")
	if top == "" {
		top = "."
	}
	inside, err := console.Below(top, root)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(inside)
}
