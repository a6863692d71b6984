package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/plan"
	"adsync/sources"
	"adsync/sources/commits"
	"adsync/sources/config"
	"adsync/sources/tree"
)

// Loaded is a project and what its files say.
type Loaded struct {
	Project config.Project
	Schemas resource.Schemas
	Desired sources.Desired
	strict  bool           // one row that is not valid stops all
	Failure error          // why nothing was read; of a commit that could not be had
	Reviews *review.Record // what is known of the reviews; nil where no files were read
}

// EnvBounds raises or lowers the sizes beyond which a file is refused.
const EnvBounds = "ADSYNC_BOUNDS"

// CheckBounds holds the operator's bounds before any command runs.
func CheckBounds(env *Env) error {
	if text := env.Getenv(EnvBounds); text != "" {
		if err := new(config.Project).Bound(text); err != nil {
			return console.Configuration("%s: %v", EnvBounds, err)
		}
	}
	return nil
}

// ReadProject reads a project under the operator's bounds.
func ReadProject(env *Env, dir string) (config.Project, []diag.Problem) {
	if env.Git != nil && env.Git.Checkout != nil {
		return env.Git.Checkout.Project, env.Git.Checkout.Problems
	}
	project, problems := config.ReadProject(dir)
	if text := env.Getenv(EnvBounds); text != "" {
		_ = project.Bound(text) // CheckBounds has held it before the command ran
	}
	o, wrong := Operator(env, project)
	if diag.HasErrors(wrong) {
		problems = append(problems, wrong...) // which may have kept it from saying where the state is
	}
	problems = append(problems, project.KeepState(o)...)
	return project, append(problems, commits.StateOfCommit(project)...)
}

// Load reads the project and its files. Problems are part of what it gives.
func Load(ctx context.Context, env *Env, dir string) Loaded {
	if env.Git != nil && env.Git.failure != nil {
		return Loaded{
			Schemas: kinds.All(), Desired: sources.Desired{Snapshot: &resource.Snapshot{}}, Failure: env.Git.failure,
		}
	}
	project, problems := ReadProject(env, dir)
	return LoadRead(ctx, env, project, problems)
}

// LoadRead loads the files of a project that was read with its problems, which
// may leave nothing to load.
func LoadRead(ctx context.Context, env *Env, project config.Project, problems []diag.Problem) Loaded {
	l := Loaded{Project: project, Schemas: kinds.All(), Reviews: KnownReviews(env, project)}
	g := Govern(env, project, l.Schemas, time.Now())
	problems = OnceEach(problems, g.Problems)
	l.Project.Bulk, l.strict = g.bulk, g.Stops
	l.Project.Publish = g.publish
	l.Project.Reach = g.Operator.Reachable()
	if diag.HasErrors(problems) {
		l.Desired = sources.Desired{Snapshot: &resource.Snapshot{}, Problems: problems}
		return l
	}
	return loadProject(ctx, env, l, problems)
}

// OnceEach joins problems that may be the same, in order.
func OnceEach(some, others []diag.Problem) []diag.Problem {
	var all diag.List
	all.AddAll(some)
	all.AddAll(others)
	return all.Sorted()
}

// loadProject reads the files of a project that was read with its problems.
func loadProject(ctx context.Context, env *Env, l Loaded, problems []diag.Problem) Loaded {
	l.Project.Former = former(ctx, env, l.Project, l.Schemas)
	l.Project.Unused = unused(ctx, env, l.Project)
	if !env.DraftsCount {
		l.Project.Kept = KeptOf(env, l.Project)
	}
	l.Desired = sources.Load(ctx, l.Project, l.Schemas)
	l.Desired.Problems = OnceEach(problems, l.Desired.Problems)
	return l
}

// From names what was read, as a command that reads it again has it.
func From(env *Env, dir string) string {
	switch {
	case env.Git != nil:
		return env.Git.Words()
	case dir == ".":
		return ""
	}
	return " " + console.Quoted(filepath.Clean(dir))
}

// Invalid returns the error of files that cannot be planned, nil where they can.
// The problems are printed for people; output for programs carries them itself.
func Invalid(env *Env, l Loaded, problems []diag.Problem) error {
	if l.Failure != nil {
		return l.Failure
	}
	if env.Flags.Output != "json" && env.Flags.Output != "ndjson" {
		ShowProblems(env, l.Project, problems)
	}
	if !diag.HasErrors(problems) {
		return nil
	}
	return console.ExitWith(console.ExitInvalid, console.Counted(problems)+"; nothing was changed")
}

// Unready returns the error of files of which nothing can be planned, nil where rows that
// are not valid wait and the others go.
func Unready(env *Env, l Loaded, strict bool) error {
	err := Invalid(env, l, l.Desired.Problems)
	if l.Failure == nil && !l.Stops(strict) {
		return nil
	}
	if known := new(console.Exit); l.Desired.TooMany != "" && errors.As(err, &known) {
		known.Message = l.Desired.TooMany + "; " + known.Message
	}
	return err
}

// UnreadyPlan returns the error of a plan that cannot be carried out, and says what its
// rows wait for.
func UnreadyPlan(env *Env, l Loaded, p *plan.Plan) error {
	if len(p.Waits) > 0 && env.Flags.Output != "json" && env.Flags.Output != "ndjson" {
		ShowProblems(env, l.Project, p.Waits)
	}
	return Invalid(env, l, p.Problems)
}

// Stops reports whether what is wrong with the files stops every row of them.
func (l *Loaded) Stops(strict bool) bool {
	return l.Desired.Stops() || (strict || l.strict) && diag.HasErrors(l.Desired.Problems)
}

// InDraft reports whether a workbook is a draft, and does not count.
func (l *Loaded) InDraft() bool { return l.Project.Kept != nil && len(l.Desired.Drafts) > 0 }

// InvalidRows are the rows that wait, as a plan wants them: those that stand beneath
// another are found there.
func (l *Loaded) InvalidRows() []plan.InvalidRow {
	var rows []plan.InvalidRow
	for _, w := range l.Desired.Waiting {
		if len(w.Problems) == 0 && !w.Adrift {
			continue
		}
		row := plan.InvalidRow{
			Address: w.Resource.Address, Lowers: w.Lowers, Stops: w.Stops, Adrift: w.Adrift,
			Message: "waits with the row above it, which is not valid",
		}
		if len(w.Problems) > 0 {
			first := w.Problems[0]
			row.Message = first.String()
			if at := w.Resource.Position; first.Position.File() == at.File() && first.Position.Sheet() == at.Sheet() {
				row.Cell = first.Position
			}
		}
		if more := len(w.Problems) - 1; more > 0 {
			row.Message += fmt.Sprintf("; and %d more", more)
		}
		rows = append(rows, row)
	}
	return rows
}

// ShowProblems prints problems with the lines they are in.
func ShowProblems(env *Env, project config.Project, problems []diag.Problem) {
	if err := diag.Render(env.Err, problems, tree.SourceLine(project)); err != nil {
		env.Note("problems could not be printed: %v", err)
	}
}

// Listed returns problems for JSON, where none are an empty list.
func Listed(problems []diag.Problem) []diag.Problem {
	if problems == nil {
		return []diag.Problem{}
	}
	return problems
}
