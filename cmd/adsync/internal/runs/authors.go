package runs

import (
	"context"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/plan"
	"adsync/sources/commits"
)

// authorsTime is how long a plan looks for who wrote what. What is not found by
// then has no author in the plan.
const authorsTime = 2 * time.Second

// TellAuthors says of every edit in a plan which commit it comes from, where the
// files are in a git repository.
func TellAuthors(ctx context.Context, env *session.Env, l session.Loaded, p *plan.Plan) {
	if !commits.InRepository(l.Project) { // all that is given is as large as the plan
		return
	}
	ctx, cancel := context.WithTimeout(ctx, authorsTime)
	defer cancel()
	var given []commits.Given
	var edits []*plan.Field
	for i := range p.Changes {
		c := &p.Changes[i]
		for j := range c.Fields {
			f := &c.Fields[j]
			if (f.Cause == plan.Edit || f.Cause == plan.CarryOver) && !f.Desired.Position.IsZero() {
				said := f.Desired // by its id; the files may say a key
				if own := l.Desired.Snapshot.Get(c.Address); own != nil && own.Value(f.Name).IsSet() {
					said = own.Value(f.Name)
				}
				given, edits = append(given, commits.Given{Address: c.Address, Attribute: f.Name, Value: said}),
					append(edits, f)
			}
		}
	}
	if len(given) == 0 {
		return
	}
	origins, err := commits.OriginsOf(l.Project, ctx, l.Schemas, given)
	if err != nil {
		env.Note("git: %v; the plan names no authors", err)
		return
	}
	for i, o := range origins {
		switch {
		case o.Uncommitted:
			edits[i].EditedBy(&plan.Edited{})
		case o.Commit != "":
			edits[i].EditedBy(&plan.Edited{Commit: o.Commit, Author: o.Author, At: o.At.Unix()})
		}
	}
}
