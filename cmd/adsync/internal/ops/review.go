package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// Review returns the command adsync review.
func Review(env *session.Env) *cobra.Command {
	var wait time.Duration
	c := &cobra.Command{
		Use:   "review [FOLDER] [ADDRESS...]",
		Short: "Show which ads the service rejected, limits or has not judged yet, why, and what to do",
		Long: `Ask the service where the ads of the files stand with its review, and show those that are not
approved: the reason in words, the cell or line to look at, and what to do. Addresses narrow it to these ads and what is
beneath them. With --wait it asks again until no ad is in review. Nothing is changed.`,
		Example: `  adsync review
  adsync review --wait 30m campaign/spring-launch`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, picks, err := session.Addressed(c, args)
			switch {
			case err != nil:
				return err
			case wait < 0:
				return console.Usage(c, fmt.Errorf("--wait is %s; want 0s or more", wait))
			}
			return runReview(c.Context(), env, dir, picks, wait)
		},
	}
	c.Flags().DurationVar(&wait, "wait", 0, "ask again for so long, such as 30m, while an ad is in review; "+
		"if one still is, the exit code is 9")
	env.Outputs(c, "text", "json")
	return c
}

// askEvery is how often a command that waits asks for reviews.
const askEvery = 10 * time.Second

// ReviewDocument is the JSON form of review.
type ReviewDocument struct {
	FormatVersion int             `json:"format_version"`
	Read          time.Time       `json:"read"`
	Counts        reviewCounts    `json:"counts"`
	Ads           []reviewedEntry `json:"ads"` // that are not approved, the worst first
}

type reviewCounts struct {
	Rejected int `json:"rejected"`
	Limited  int `json:"limited"`
	InReview int `json:"in_review"`
	Approved int `json:"approved"`
}

type reviewedEntry struct {
	review.Line
	Position diag.Position `json:"at"` // what to look at in the files; none where they do not name the ad
}

func runReview(ctx context.Context, env *session.Env, dir string, picks []reconcile.Pick, wait time.Duration) error {
	l := session.Load(ctx, env, dir)
	if l.Failure != nil {
		return l.Failure
	}
	s, err := session.Connect(ctx, env, l, true)
	if err != nil {
		return err
	}
	defer s.End()
	if err := s.Agent.CheckAccount(ctx); err != nil {
		return err
	}
	clock := env.Clock.OrSystem()
	for end := clock.Now().Add(wait); ; {
		known, err := session.AskReviews(ctx, env, l.Project, s.Agent, session.Fresh{Anew: true}, nil)
		if err != nil {
			return fmt.Errorf("read the reviews: %w", err)
		}
		if err := allNamed(known, l.Desired.Snapshot, picks); err != nil {
			return err
		}
		d := reviewed(known, l.Desired.Snapshot, picks)
		left := end.Sub(clock.Now())
		if d.Counts.InReview == 0 && !known.Left || left <= 0 {
			env.ClearLine()
			if known.Left {
				env.Note("not every ad was asked for: the limits of the service allow more in a minute")
			}
			return d.show(env, wait)
		}
		if err := clock.Sleep(ctx, min(left, askEvery)); err != nil {
			return err
		}
	}
}

// reviewed returns where the ads that were picked stand.
func reviewed(known *review.Record, files *resource.Snapshot, picks []reconcile.Pick) ReviewDocument {
	d := ReviewDocument{FormatVersion: console.FormatVersion, Read: known.Read, Ads: []reviewedEntry{}}
	for _, line := range known.Lines() {
		address, ok := resource.ParseAddress(line.Address)
		if !ok || !picked(address, picks) {
			continue
		}
		switch line.State {
		case review.Rejected:
			d.Counts.Rejected++
		case review.Limited:
			d.Counts.Limited++
		case review.InReview:
			d.Counts.InReview++
		default:
			d.Counts.Approved++
			continue
		}
		e := reviewedEntry{Line: line}
		if r := files.Get(address); r != nil {
			e.Position = r.Position
			if v := r.Value(review.LooksAt(line.Reason)); v.IsSet() {
				e.Position = v.Position
			}
		}
		d.Ads = append(d.Ads, e)
	}
	return d
}

// allNamed says which of the picks is neither in the files nor has an ad whose review is known.
func allNamed(known *review.Record, files *resource.Snapshot, picks []reconcile.Pick) error {
	for _, p := range picks {
		if files.Get(p.Address) == nil && !slices.ContainsFunc(known.Lines(), func(line review.Line) bool {
			address, ok := resource.ParseAddress(line.Address)
			return ok && picked(address, []reconcile.Pick{p})
		}) {
			return session.Unnamed(p.Address, files)
		}
	}
	return nil
}

// picked reports whether an address is one of the picks or beneath one, or there are none.
func picked(address resource.Address, picks []reconcile.Pick) bool {
	return len(picks) == 0 || slices.ContainsFunc(picks, func(p reconcile.Pick) bool {
		return address == p.Address || strings.HasPrefix(address.Key, p.Address.Key+"/")
	})
}

func (d *ReviewDocument) show(env *session.Env, wait time.Duration) error {
	if env.Flags.Output == "json" {
		if err := env.PrintJSON(d); err != nil {
			return err
		}
	} else if _, err := fmt.Fprint(env.Out, d.text()); err != nil {
		return err
	}
	if wait > 0 && d.Counts.InReview > 0 {
		return console.ExitWith(console.ExitUnknown, fmt.Sprintf("%s still in review after %s",
			console.Plural(d.Counts.InReview, "ad"), wait))
	}
	return nil
}

func (d *ReviewDocument) text() string {
	var b strings.Builder
	counts := planview.ReviewCounts(&review.Summary{
		Rejected: d.Counts.Rejected, Limited: d.Counts.Limited, InReview: d.Counts.InReview,
	})
	if counts != "" {
		counts += ", "
	}
	fmt.Fprintf(&b, "%s%s approved; read %s\n", counts, console.Plural(d.Counts.Approved, "ad"), console.UTC(d.Read))
	for _, e := range d.Ads {
		fmt.Fprintf(&b, "\n%s  %s  %s\n  %s\n", e.State, e.Called(), e.Address, e.Why())
		if e.Do != "" {
			fmt.Fprintf(&b, "  to do: %s\n", e.Do)
		}
		if at := e.Position.String(); at != "" {
			fmt.Fprintf(&b, "  at %s\n", at)
		}
	}
	return b.String()
}
