package people

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"

	"github.com/spf13/cobra"
)

// listFlags are those of audience list.
type listFlags struct {
	use   string
	finer bool
}

func list(env *session.Env) *cobra.Command {
	var f listFlags
	c := &cobra.Command{
		Use:   "list [FOLDER]",
		Short: "List the audiences of the account: state, size, and what they are good for",
		Long: `List the audiences of the account: the address in your files or else the id, the state, the
range in which the number of matched people lies, and what the service takes the audience
for: inclusion, exclusion, bid_multiplier. Nothing is changed.`,
		Example: "  adsync audience list\n  adsync audience list --for inclusion --finer -o json",
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			if f.use != "" && !slices.Contains(uses, f.use) {
				return console.Usage(c, fmt.Errorf("--for is %q; want %s", f.use, diag.OrList(uses)))
			}
			return runList(c.Context(), env, dir, f)
		},
	}
	c.Flags().StringVar(&f.use, "for", "", "only those that the service takes for this: "+strings.Join(uses, ", "))
	console.Completes(c, "for", uses...)
	finerFlag(c, &f.finer)
	env.Outputs(c, "text", "json")
	return c
}

func finerFlag(c *cobra.Command, finer *bool) {
	c.Flags().BoolVar(finer, "finer", false, "finer ranges of large counts, where the service has them")
}

func runList(ctx context.Context, env *session.Env, dir string, f listFlags) error {
	s := &session.Session{}
	defer s.End()
	a, err := read(ctx, env, s, dir)
	if err != nil {
		return err
	}
	d := Document{FormatVersion: console.FormatVersion, Audiences: []Row{}}
	for record, err := range a.service.List(ctx, collection, granular(f.finer)) {
		if err != nil {
			return fmt.Errorf("list the audiences: %w", err)
		}
		row, err := a.rowOf(record)
		if err != nil {
			return err
		}
		d.Audiences = append(d.Audiences, row)
	}
	if err := a.judge(ctx, &d, nil); err != nil {
		return err
	}
	if f.use != "" {
		d.Audiences = slices.DeleteFunc(d.Audiences, func(r Row) bool { return !slices.Contains(r.Uses, f.use) })
	}
	return d.print(env)
}

func show(env *session.Env) *cobra.Command {
	var id string
	var finer bool
	c := &cobra.Command{
		Use:   "show [FOLDER] ADDRESS",
		Short: "Show one audience, with the operations on who is in it",
		Long: `Show one audience of the service: its state, the ranges of its counts, what the service takes
it for, and the operations on who is in it, newest first. Nothing is changed. Who is in an
audience is shown by nobody.`,
		Example: "  adsync audience show audience/customers\n  adsync audience show audience/customers --finer",
		RunE: func(c *cobra.Command, args []string) error {
			n, err := name(c, args, id)
			if err != nil {
				return err
			}
			return runShow(c.Context(), env, n, finer)
		},
	}
	idFlag(c, &id)
	finerFlag(c, &finer)
	env.Outputs(c, "text", "json")
	return c
}

func idFlag(c *cobra.Command, id *string) {
	c.Flags().StringVar(id, "id", "", "the service's id, for an audience that is in no file")
}

func runShow(ctx context.Context, env *session.Env, n named, finer bool) error {
	s := &session.Session{}
	defer s.End()
	a, err := read(ctx, env, s, n.dir)
	if err != nil {
		return err
	}
	if err := a.find(&n); err != nil {
		return err
	}
	record, err := a.service.Read(ctx, collection, n.id, granular(finer))
	if err != nil {
		return fmt.Errorf("read %s: %w", diag.Printable(n.said()), err)
	}
	row, err := a.rowOf(record)
	if err != nil {
		return err
	}
	if row.Operations, err = a.operationsOn(ctx, n.id); err != nil {
		return err
	}
	d := Document{FormatVersion: console.FormatVersion, Audiences: []Row{row}}
	if err := a.judge(ctx, &d, []string{n.id}); err != nil {
		return err
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	return d.Audiences[0].write(env.Out)
}

// print writes a line for each audience.
func (d Document) print(env *session.Env) error {
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	w := tabwriter.NewWriter(env.Out, 0, 0, 2, ' ', 0)
	for _, r := range d.Audiences {
		for _, cell := range []string{cmp.Or(r.Address, r.ID), r.State, r.Users, strings.Join(r.Uses, ", ")} {
			fmt.Fprintf(w, "%s\t", diag.Printable(cell))
		}
		fmt.Fprintf(w, "%q\n", r.Name)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(d.Audiences) == 0 {
		env.Note("no audience is to be shown")
	}
	return nil
}

// write writes one audience, a line for each thing there is to say.
func (r Row) write(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q\n", cmp.Or(r.Address, r.ID), r.Name)
	for _, line := range [][2]string{
		{"id", r.ID}, {"state", r.State}, {"matched people", r.Users}, {"matched identifiers", r.Identifiers},
		{"uploaded identifiers", r.Uploaded}, {"identifiers that cannot be read", r.Invalid},
		{"revision", fmt.Sprint(r.Revision)}, {"good for", cmp.Or(strings.Join(r.Uses, ", "), "nothing yet")},
	} {
		fmt.Fprintf(&b, "  %s: %s\n", line[0], diag.Printable(line[1]))
	}
	b.WriteString(operationLines(r.Operations))
	_, err := io.WriteString(out, b.String())
	return err
}

func operationLines(all []Operation) string {
	var b strings.Builder
	for _, o := range all {
		fmt.Fprintf(&b, "  %s  %s  %s", diag.Printable(o.ID), diag.Printable(o.Kind), diag.Printable(o.Status))
		if o.Run != "" {
			fmt.Fprintf(&b, "  sent by %s, which has not seen it end", o.Run)
		}
		b.WriteString("\n")
	}
	if len(all) == 0 {
		b.WriteString("  no operations\n")
	}
	return b.String()
}
