package planning

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/sources/tidy"
)

// Propose pushes the files with what is live in them to a branch that begins at
// the commit that was read, ready for a pull request. Nothing is recorded: once
// it is merged, the next apply finds both sides alike.
func Propose(ctx context.Context, env *session.Env,
	l session.Loaded, d DriftDocument, picked bool, planHash string) error {
	take := takeOver(l, d, picked)
	if len(take.accepted) == 0 && len(take.problems) == 0 {
		env.Note("no drift; nothing to propose")
		return nil
	}
	rewrites, problems, err := tidy.AcceptAll(l.Project,
		ctx, session.Schemas(), allDesired(ctx, env, l), take.accepted)
	if err != nil {
		return console.Configuration("%v; nothing was pushed", err)
	}
	if problems = append(take.problems, problems...); len(problems) > 0 {
		session.ShowProblems(env, l.Project, problems)
		return console.ExitWith(console.ExitInvalid, console.Counted(problems)+"; nothing was pushed")
	}
	answer := answerOf(env, d, rewrites, len(take.accepted))
	answer.Branch += fmt.Sprintf("-%.12s", planHash)
	_, err = runs.Push(ctx, env, answer)
	return err
}

// answerOf is a commit of the files with what is live in them.
func answerOf(env *session.Env, d DriftDocument, rewrites []tidy.Rewrite, values int) gitstore.Answer {
	account, base := d.Account.Account.ID, env.Git.Revision.Commit
	a := gitstore.Answer{
		Branch: "adsync/drift-" + runs.RefWord(account), Base: base, Files: map[string][]byte{},
		Message: fmt.Sprintf("Take over %s from the service\n\nAccount: %s\nCommit: %s\n",
			diag.Plural(values, "value"), account, base),
	}
	for _, r := range rewrites {
		a.Files[path.Join(env.Git.Store.SubPath(), r.File)] = r.After
	}
	return a
}

// Proposal is drift as a pull request.
type Proposal struct {
	Answer gitstore.Answer // of no file where nothing could be written
	Title  string
	Text   string // in Markdown
}

// ProposalOf writes what is live into the files as far as that can be done, and names what it left.
func ProposalOf(ctx context.Context, env *session.Env, l session.Loaded, d DriftDocument) (Proposal, error) {
	take := takeOver(l, d, false)
	rewrites, accepted, problems, err := fit(ctx, env, l, take.accepted)
	if err != nil {
		return Proposal{}, err
	}
	left := append(take.problems, problems...)
	take.accepted = accepted
	p := Proposal{Answer: answerOf(env, d, rewrites, len(take.accepted))}
	p.Title = fmt.Sprintf("Take over %s of %s from the service",
		diag.Plural(len(take.accepted), "value"), d.Account.Account.ID)
	p.Text = d.markdown(l.Schemas, left)
	return p, nil
}

// fit writes values into the files as far as that can be done, and returns which those are, and why the others are not
// among them. Nothing is saved.
func fit(ctx context.Context, env *session.Env, l session.Loaded, values []tidy.Accepted) (
	rewrites []tidy.Rewrite, fits []tidy.Accepted, left []diag.Problem, err error) {
	desired := allDesired(ctx, env, l)
	for len(values) > 0 {
		written, problems, err := tidy.AcceptAll(l.Project, ctx, session.Schemas(), desired, values)
		if err != nil {
			return nil, nil, nil, err
		}
		if len(problems) == 0 {
			return written, values, left, nil
		}
		left = append(left, problems...)
		before := len(values)
		values = slices.DeleteFunc(values, func(a tidy.Accepted) bool {
			return slices.ContainsFunc(problems, func(p diag.Problem) bool { return p.Address == a.Address.String() })
		})
		if len(values) == before { // nobody knows which of them it is
			values = nil
		}
	}
	return nil, nil, left, nil
}

// Digest is of what was changed, wherever it stands in the files.
func (d *DriftDocument) Digest() string {
	var texts []string
	for _, r := range d.Resources {
		texts = append(texts, r.Address, r.Removed)
		for _, f := range r.Fields {
			texts = append(texts, f.Name, plan.DigestOf(f.field.Live()), plan.DigestOf(f.field.Desired))
		}
	}
	return plan.DigestOfTexts(texts...)
}

// The bounds of what a pull request says: rows of each list, and bytes of both. GitHub takes 65,536 characters.
const (
	mostRows  = 100
	mostBytes = 50_000
)

// markdown says what was changed outside, by whom and when, and what of it has to be decided by hand.
func (d *DriftDocument) markdown(schemas resource.Schemas, left []diag.Problem) string {
	var text strings.Builder
	text.WriteString("Somebody changed this at the service. Merging this pull request writes what is live into " +
		"the files, and adsync leaves it as it is.\n\n" +
		"| what | field | adsync applied | now | who |\n|---|---|---|---|---|\n")
	rows, untold := 0, 0
	row := func(r *DriftResource, field, last, live string, f *plan.Foreign) {
		if rows++; rows > mostRows || text.Len() > mostBytes/2 {
			untold++
			return
		}
		who := strings.TrimPrefix(d.by(f), ", by ")
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s |\n",
			planview.Cell(diag.Printable(r.Address)), field, last, live, orNothing(who))
	}
	for i := range d.Resources {
		r := &d.Resources[i]
		if r.Removed != "" {
			row(r, "", "", r.Removed, r.Foreign)
			continue
		}
		schema := schemas.Of(r.change.Address.Kind)
		for _, f := range r.Fields {
			attribute, _ := schema.Attribute(f.Name)
			row(r, f.Name, orNothing(diag.Printable(attribute.Show(f.field.Last()))),
				orNothing(diag.Printable(attribute.Show(f.field.Live()))), f.Foreign)
		}
	}
	if untold > 0 {
		fmt.Fprintf(&text, "\n… and %d more.\n", untold)
	}
	if len(left) > 0 {
		text.WriteString("\n**Not in it**, since somebody has to decide:\n\n")
	}
	for i, p := range left {
		if i == mostRows || text.Len() > mostBytes {
			fmt.Fprintf(&text, "- … and %d more\n", len(left)-i)
			break
		}
		fmt.Fprintf(&text, "- %s\n", planview.Code(diag.Printable(p.Message)))
	}
	return text.String()
}

// orNothing is a cell of a table.
func orNothing(text string) string {
	if text == "" {
		return ""
	}
	return planview.Cell(text)
}
