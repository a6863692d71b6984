package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/marked"
	"adsync/sources/tidy"
	"adsync/sources/tree"
	"adsync/sources/workbook"

	"github.com/spf13/cobra"
)

// updating is one export --update: what the service was asked, so that it is asked
// once, however often the workbook is read.
type updating struct {
	env     *session.Env
	l       session.Loaded
	session *session.Session
	known   *reconcile.Known
	now     time.Time // of the service, in the account's time zone
	figures map[string]*resource.Figures
	rows    reconcile.KnownRows
	desired sources.Desired
	failure error // of the service; an error of the workbook is none
}

// runUpdate writes what the service knows into a workbook of the user's own.
func runUpdate(env *session.Env, c *cobra.Command, args []string, f exportFlags) error {
	if f.out != "" || f.force || c.Flags().Changed("output") {
		return console.Usage(c, errors.New("--update writes "+
			"into the workbook it names; want it without --out, --output and --force"))
	}
	l, file, err := loadUpdated(env, c, args, f.update)
	if err != nil {
		return err
	}
	s, err := session.Connect(c.Context(), env, l, true)
	if err != nil {
		return err
	}
	defer s.End()
	u := &updating{env: env, l: l, session: s, figures: map[string]*resource.Figures{}}
	windows, err := u.ask(c, strings.Join(f.figures, ","))
	if err != nil {
		return err
	}
	done, err := marked.UpdateFile(c.Context(), l.Project, l.Schemas, l.Desired, file, marked.Update{
		Known: func(d sources.Desired, windows []string) (*resource.Snapshot, *resource.Figures, error) {
			return u.of(c.Context(), d, windows)
		},
		Windows:    windows,
		AddColumns: f.addColumns,
		At:         env.Clock.OrSystem().Now(),
	})
	env.ClearLine()
	switch {
	case u.failure != nil:
		return u.failure
	case err != nil:
		return console.Configuration("--update: %s: %v", console.NameOf(f.update), err)
	}
	u.report(console.NameOf(f.update), file, done)
	return nil
}

// loadUpdated reads the project that a workbook lies in, or the workbook alone where
// the project's sources leave it out.
func loadUpdated(env *session.Env, c *cobra.Command,
	args []string, name string) (l session.Loaded, file string, err error) {
	dir := session.ProjectFolder(filepath.Dir(name))
	if len(args) > 0 {
		given, err := console.Folder(c, args)
		if err != nil {
			return l, "", err
		}
		dir = given
	}
	if _, err := os.Stat(name); err != nil {
		return l, "", console.Configuration("--update: %v; want a workbook of your own", err)
	}
	if tree.NeverSource(filepath.ToSlash(name)) {
		return l, "", console.Configuration("--update: %s "+
			"is a copy or a temporary file, which is never a source; want the workbook itself", console.NameOf(name))
	}
	if lock := tree.LockFile(name); lock != "" {
		return l, "", console.Configuration("--update: %s is open in an editor (%s is there); want it closed",
			console.NameOf(name), console.NameOf(lock))
	}
	inside, err := console.Below(dir, filepath.Dir(name))
	if err != nil || inside == "" {
		return l,
			"", console.Configuration("--update: %s does not lie in the project's folder %s; want a workbook that does",
				console.NameOf(name), console.NameOf(dir))
	}
	file = filepath.ToSlash(filepath.Join(inside, filepath.Base(name)))
	env.DraftsCount = true
	project, problems := session.ReadProject(env, dir)
	if files, _ := tidy.SourceFiles(project); !diag.HasErrors(problems) && !slices.Contains(files, file) {
		l = session.LoadFile(c.Context(), env, name)
	} else {
		l = session.Load(c.Context(), env, dir)
	}
	return l, file, session.Unready(env, l, false)
}

// ask reads the account. What the figures are to be is judged before.
func (u *updating) ask(c *cobra.Command, figures string) (windows []string, err error) {
	if u.now, err = u.session.Agent.Present(c.Context()); err != nil {
		return nil, err
	}
	if figures != "" {
		asked, err := resource.ParseWindows(figures, u.now)
		if err != nil {
			return nil, console.Usage(c, fmt.Errorf("--figures: %w", err))
		}
		for _, w := range asked {
			windows = append(windows, w.Name)
		}
	}
	u.known, err = u.session.Agent.Known(c.Context())
	return windows, err
}

// of returns what the service knows of the rows of the files.
func (u *updating) of(ctx context.Context, d sources.Desired,
	windows []string) (_ *resource.Snapshot, _ *resource.Figures, err error) {
	u.desired = d
	if u.rows, u.failure = u.known.Of(d.Named()); u.failure != nil {
		return nil, nil, u.failure
	}
	review.InWords(u.rows.Rows)
	var asked []resource.Window
	for _, name := range windows {
		w, err := resource.ParseWindow(name, u.now)
		if err != nil {
			u.env.Note("figures of %s stay as they are: %s", diag.Printable(name), diag.Printable(err.Error()))
			continue
		}
		asked = append(asked, w)
	}
	key := strings.Join(windows, ",")
	if _, known := u.figures[key]; !known {
		u.figures[key], u.failure = runs.Figures(ctx, u.session, asked)
	}
	return u.rows.Rows, u.figures[key], u.failure
}

// mostNamed is how many rows or cells a report names.
const mostNamed = 10

// report says what was written, and what was not.
func (u *updating) report(name, file string, done marked.Updated) {
	env := u.env
	session.ShowProblems(env, u.l.Project, u.rows.Problems)
	noteUnlisted(env, u.session)
	for i, left := range done.Left {
		if i == mostNamed {
			env.Note("%s more stay as they are", diag.Plural(len(done.Left)-i, "cell"))
			break
		}
		env.Note("%s stays as it is: %s", diag.Printable(left.At.String()), left.Why)
	}
	if adrift := u.adrift(file); len(adrift) > 0 {
		env.Note("%s not valid and got nothing, as nothing says what they are: %s",
			console.PluralAre(len(adrift), "row"), someOf(adrift))
	}
	if unknown := u.unknown(file); len(unknown) > 0 {
		env.Note("%s not at the service and got nothing: %s", console.PluralAre(len(unknown), "row"), someOf(unknown))
	}
	if n := len(u.rows.Rest); n > 0 {
		env.Note("%s at the service and in no row that is read: %s; adsync export shows all there is",
			console.PluralAre(n, "resource"), u.kindsOf(u.rows.Rest))
	}
	if len(done.Missing) > 0 {
		env.Note("columns that are not there: %s; --add-columns adds them",
			diag.Printable(strings.Join(done.Missing, ", ")))
	}
	for _, sheet := range done.Aged {
		env.Note("sheet %s stays as it was exported; adsync export -o xlsx writes it anew", diag.Printable(sheet))
	}
	if done.NotAdded != "" {
		env.Note("no sheet %s is added: %s", workbook.PerformanceTab, done.NotAdded)
	}
	switch {
	case len(done.Spans) > 0:
		env.Note("sheet %s of %s has %s, too", workbook.PerformanceTab, name, strings.Join(done.Spans, ", "))
	case done.Added != "":
		env.Note("sheet %s added to %s", done.Added, name)
	case len(done.Columns) == 0:
		env.Note("%s has no column for what the service knows; nothing was written", name)
		return
	case done.Kept == "":
		env.Note("%s says what the service knows already; nothing was written", name)
		return
	}
	if len(done.Columns) > 0 {
		env.Note("%s written into %s: %s", diag.Plural(done.Cells, "cell"),
			name, diag.Printable(strings.Join(done.Columns, ", ")))
	}
	env.Note("the former file is %s", console.NameOf(filepath.Join(u.l.Project.Root, filepath.FromSlash(done.Kept))))
}

// unknown names the rows of a file that the service does not have.
func (u *updating) unknown(file string) []string {
	var rows []string
	for r := range u.desired.Named().All() {
		if r.Position.File() == file && u.rows.Rows.Get(r.Address) == nil {
			rows = append(rows, u.place(r))
		}
	}
	return rows
}

// adrift names the rows of a file that do not say which resource they are.
func (u *updating) adrift(file string) []string {
	var rows []string
	for _, w := range u.desired.Waiting {
		if w.Adrift && w.Resource.Position.File() == file {
			rows = append(rows, u.place(w.Resource))
		}
	}
	return rows
}

// place names a row for people: Ads row 12 (Hero A).
func (u *updating) place(r *resource.Resource) string {
	name := cmp.Or(u.l.Schemas.Of(r.Address.Kind).NameOf(r), r.Address.Leaf())
	return fmt.Sprintf("%s row %d (%s)", diag.Printable(r.Position.Sheet()), r.Position.Line(), diag.Printable(name))
}

// kindsOf counts resources by their kinds.
func (u *updating) kindsOf(resources []*resource.Resource) string {
	counts := map[resource.Kind]int{}
	for _, r := range resources {
		counts[r.Address.Kind]++
	}
	var parts []string
	for _, s := range u.l.Schemas {
		if n := counts[s.Kind]; n > 0 {
			parts = append(parts, diag.Plural(n, strings.ToLower(s.Title)))
		}
	}
	return strings.Join(parts, ", ")
}

func someOf(names []string) string {
	if len(names) > mostNamed {
		return strings.Join(names[:mostNamed], ", ") + fmt.Sprintf(" and %d more", len(names)-mostNamed)
	}
	return strings.Join(names, ", ")
}
