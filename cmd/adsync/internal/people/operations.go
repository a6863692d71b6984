package people

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/cmd/adsync/internal/verbs"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/direct"
	"adsync/internal/resource"

	"github.com/spf13/cobra"
)

func operations(env *session.Env) *cobra.Command {
	var id string
	c := &cobra.Command{
		Use:   "operations [FOLDER] ADDRESS",
		Short: "List the operations on who is in an audience",
		Long: `List the operations on who is in an audience that the service accepted, newest first, whoever
sent them: add, remove, replace, merge. One that a run of adsync sent and has not seen end
says so. The first list of a new audience is no operation. Nothing is changed.`,
		Example: "  adsync audience operations audience/customers",
		RunE: func(c *cobra.Command, args []string) error {
			n, err := name(c, args, id)
			if err != nil {
				return err
			}
			return runOperations(c.Context(), env, n)
		},
	}
	idFlag(c, &id)
	env.Outputs(c, "text", "json")
	return c
}

func runOperations(ctx context.Context, env *session.Env, n named) error {
	s := &session.Session{}
	defer s.End()
	a, err := read(ctx, env, s, n.dir)
	if err != nil {
		return err
	}
	if err := a.find(&n); err != nil {
		return err
	}
	all, err := a.operationsOn(ctx, n.id)
	if err != nil {
		return err
	}
	return printOperations(env, n, all)
}

func printOperations(env *session.Env, n named, all []Operation) error {
	if env.Flags.Output == "json" {
		address := ""
		if !n.address.IsZero() {
			address = n.address.String()
		}
		return env.PrintJSON(OperationsDocument{console.FormatVersion, address, n.id, all})
	}
	_, err := io.WriteString(env.Out, diag.Printable(n.said())+"\n"+operationLines(all))
	return err
}

// OperationsDocument is the JSON form of audience operations, cancel and resume.
type OperationsDocument struct {
	FormatVersion int         `json:"format_version"`
	Address       string      `json:"address"` // "" where adsync has applied none
	ID            string      `json:"id"`
	Operations    []Operation `json:"operations"`
}

// doing is what is done to an operation by hand.
type doing struct {
	verb      string // its command
	short     string
	long      string
	question  string // with the operation, its kind and the audience
	pointless func(adsapi.MemberOperation) string
	// worked reports whether an operation that was read after a lost answer shows that it was done.
	worked func(adsapi.MemberOperation) bool
	after  string // what is said of it
}

var cancelling = doing{
	verb: "cancel", short: "Cancel an operation on who is in an audience, before it begins",
	long: `Cancel an add or a remove that the service has accepted and not begun. One that is at work
cannot be cancelled, and a replace or a merge never. The service then shows it as failed,
and nobody was added or taken out. You are asked first, or say --yes, or the operator's
file has an allowance; the history has who did it.

An operation that apply sent is still apply's: the next apply reads what became of it, and
as long as the files ask for it the list is sent anew. Change the files too, if it is not
wanted. While an apply is at work this command waits for nobody and is refused: interrupt
the apply first.`,
	question: "The operation %s (%s) on %s is cancelled.",
	pointless: func(o adsapi.MemberOperation) string {
		if o.Ended() {
			return fmt.Sprintf("has ended: the service shows it as %s", diag.Printable(o.Status))
		}
		return ""
	},
	worked: func(o adsapi.MemberOperation) bool { return o.Status == "failed" },
	after:  "apply sends the list anew as long as the files ask for it",
}

var resuming = doing{
	verb: "resume", short: "Make an operation on who is in an audience go on that has stopped",
	long: `Make an add or a remove go on that has stopped at the service, from where it is. To one that
is at work, or has ended, that does nothing. apply does the same by itself for its own
operations. You are asked first, or say --yes, or the operator's file has an allowance; the
history has who did it.`,
	question: "The operation %s (%s) on %s goes on where it stands.",
	pointless: func(o adsapi.MemberOperation) string {
		if o.Ended() {
			return fmt.Sprintf("has ended: the service shows it as %s", diag.Printable(o.Status))
		}
		return ""
	},
	worked: adsapi.MemberOperation.Succeeded,
	after:  "adsync audience operations shows how far it is",
}

// actFlags are those of cancel and resume.
type actFlags struct {
	id, operation string
	yes           bool
}

func act(env *session.Env, how doing) *cobra.Command {
	var f actFlags
	c := &cobra.Command{
		Use: how.verb + " [FOLDER] ADDRESS", Short: how.short, Long: how.long,
		Example: fmt.Sprintf("  adsync audience %s audience/customers --yes", how.verb),
		RunE: func(c *cobra.Command, args []string) error {
			n, err := name(c, args, f.id)
			if err != nil {
				return err
			}
			return runAct(c.Context(), env, n, how, f)
		},
	}
	idFlag(c, &f.id)
	c.Flags().StringVar(&f.operation, "operation", "", "the operation; left out it is the one that has not ended")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	env.Outputs(c, "text", "json")
	return c
}

func runAct(ctx context.Context, env *session.Env, n named, how doing, f actFlags) error {
	project, err := session.ProjectOf(env, n.dir)
	if err != nil {
		return err
	}
	d, err := verbs.Open(ctx, env, project, direct.Named("audience "+how.verb))
	if err != nil {
		return err
	}
	defer d.End()
	a, err := recorded(ctx, d.Store, d.Client.Reader())
	if err != nil {
		return err
	}
	if err := a.find(&n); err != nil {
		return err
	}
	o, err := a.pick(ctx, n, how, f.operation)
	if err != nil {
		return err
	}
	if err := d.Consent(ctx, f.yes, fmt.Sprintf(how.question, diag.Printable(o.ID), diag.Printable(o.Kind),
		diag.Printable(n.said()))); err != nil {
		return err
	}
	what := n.said() + ", operation " + o.ID
	if err := d.Do(ctx, what, func(ctx context.Context) (string, error) {
		o, err = send(ctx, d, n, o, how)
		return "the service shows it as " + o.Status, err
	}); err != nil {
		return err
	}
	env.Note("%s", how.after)
	return printOperations(env, n, []Operation{{o.ID, o.Kind, o.Status, a.runOf(o.ID)}})
}

// pick finds the operation that is meant, and refuses one of which nothing can come.
func (a *account) pick(ctx context.Context, n named, how doing, id string) (o adsapi.MemberOperation, err error) {
	if id != "" {
		o, err = a.service.MemberOperation(ctx, n.id, id)
	} else {
		o, err = a.underWay(ctx, n)
	}
	switch {
	case id != "" && errors.Is(err, adsapi.ErrNotFound):
		return o, console.Configuration("the service shows no operation %s on %s; "+
			"adsync audience operations lists them", diag.Printable(id), diag.Printable(n.said()))
	case err != nil:
		return o, fmt.Errorf("the operation on %s: %w", diag.Printable(n.said()), err)
	}
	switch why := how.pointless(o); {
	case why != "":
		return o, console.Configuration("operation %s %s; nothing was sent", diag.Printable(o.ID), why)
	case !steerable(o.Kind):
		return o, console.Configuration("operation %s is a %s, which the service does not %s; nothing was sent",
			diag.Printable(o.ID), diag.Printable(o.Kind), how.verb)
	}
	return o, nil
}

// steerable reports whether the service cancels and resumes operations of a kind (interface, part 3).
func steerable(kind string) bool {
	return slices.ContainsFunc(session.Schemas(), func(s *resource.Schema) bool {
		return s.Membership != nil && slices.ContainsFunc(s.Membership.Operations,
			func(o resource.MembershipOperation) bool { return o.Name == kind && o.Resumes })
	})
}

// underWay is the one operation on an audience that has not ended.
func (a *account) underWay(ctx context.Context, n named) (adsapi.MemberOperation, error) {
	all, err := a.service.MemberOperations(ctx, n.id)
	if err != nil {
		return adsapi.MemberOperation{}, err
	}
	all = slices.DeleteFunc(all, adsapi.MemberOperation.Ended)
	switch len(all) {
	case 0:
		return adsapi.MemberOperation{}, console.Configuration("none is under way; nothing was sent")
	case 1:
		return all[0], nil
	}
	return adsapi.MemberOperation{}, console.Configuration(
		"%d are under way; want --operation and one of adsync audience operations", len(all))
}

// send sends it, and reads what became of an operation whose answer was lost.
func send(ctx context.Context, d *verbs.Direct, n named, o adsapi.MemberOperation,
	how doing) (adsapi.MemberOperation, error) {
	path, err := d.Verb.At(n.id, o.ID)
	if err != nil {
		return o, errors.Join(direct.ErrNotDone, err)
	}
	_, err = d.Client.Send(ctx, adsapi.Mutation{Path: path, IDField: "operation_id"})
	if err != nil && adsapi.AppliedOf(err) != adsapi.Unknown {
		return o, err
	}
	seen, failure := d.Client.Reader().MemberOperation(ctx, n.id, o.ID)
	switch {
	case failure == nil && (err == nil || how.worked(seen)):
		return seen, nil
	case err == nil:
		return o, nil // it was done, and how far it is is not known
	}
	return o, err
}
