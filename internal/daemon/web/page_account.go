package web

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/web/chart"
	"adsync/internal/daemon/web/conflicts"
	"adsync/internal/daemon/web/held"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/daemon/web/talk"
	"adsync/internal/planview"
	"adsync/internal/review"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

// runsShown is how many runs the page of an account lists.
const runsShown = 10

// pages shows people their accounts.
type pages struct{ *replies }

func (h *pages) routes() []route {
	return []route{
		{"GET", "/{$}", somebody, h.showAccounts},
		{"GET", "/accounts/{account}", viewers, h.showAccount},
		{"GET", "/accounts/{account}/campaigns", viewers, h.showFigures},
		{"GET", "/accounts/{account}/campaigns.csv", viewers, h.sendFigures},
		{"GET", "/accounts/{account}/activity", viewers, h.showActivity},
		{"GET", "/accounts/{account}/runs", viewers, h.showRuns},
		{"GET", "/accounts/{account}/runs/{run}", viewers, h.showRun},
		{"GET", "/page.css", everybody, asset("text/css; charset=utf-8", styleText())},
		{"GET", "/page.js", everybody, asset("text/javascript; charset=utf-8", scriptText())},
		{"GET", "/htmx.js", everybody, asset("text/javascript; charset=utf-8", htmxScript)},
	}
}

// accountView is the page of an account.
type accountView struct {
	card
	Parts     *planview.Parts
	PlanHash  string
	Held      held.View
	Approvals []approvalView
	Rewritten *rewrittenView
	Accepted  []acceptedView
	Chart     *chart.Possible
	Runs      []runLine
	More      int
	Reviews   []reviewLine
	Conflicts conflicts.View
}

// reviewLine is that the service's review judged an ad otherwise than before.
type reviewLine struct {
	When           shown.Moment
	Text, Do, Mood string
}

// reviewMoods are the classes of where an ad stands.
var reviewMoods = map[review.State]string{review.Rejected: "ill", review.Limited: "wait", review.Approved: "well"}

func reviewLines(s *review.Summary, zone *time.Location) (lines []reviewLine) {
	if s == nil {
		return nil
	}
	for _, c := range s.Lately[:min(runsShown, len(s.Lately))] {
		lines = append(lines, reviewLine{shown.MomentOf(c.Time, zone),
			shown.Reason(c.Text()), shown.Reason(c.Do), reviewMoods[c.State]})
	}
	return lines
}

type approvalView struct {
	By, Note, Link, Plan string
	Time                 shown.Moment
	Allow                []string
}

// rewrittenView is a commit that waits to be accepted.
type rewrittenView struct {
	Commit, Short, Before, How string
	Subject, Author            string
	Time                       shown.Moment
}

// acceptedView is one that was.
type acceptedView struct {
	By, Note, Commit, Before string
	Time                     shown.Moment
}

// movements are the ways in which a history moves.
var movements = []string{"rewind", "rewrite", "elsewhere", "fast_forward"}

func rewrittenOf(w *daemon.Rewritten, zone *time.Location) *rewrittenView {
	if w == nil {
		return nil
	}
	how := ""
	if slices.Contains(movements, w.Movement) {
		how = catalogue.Say("moved." + w.Movement)
	}
	return &rewrittenView{shown.Text(w.Commit, 40), shown.Text(w.Commit, 12), shown.Text(w.Before, 12), how,
		shown.Text(w.Subject, 200), shown.Name(w.Author), shown.MomentOf(w.Time, zone)}
}

type runLine struct {
	runview.Line
	Path string
	Mood string // the class of how it ended
	When shown.Moment
}

// moodOf is the class of how a run ended, as that of an account.
func moodOf(h *runview.Head) string {
	switch {
	case h.Ended == runview.Running:
		return ""
	case h.Exit == nil:
		return "ill"
	case *h.Exit == runview.ExitDone:
		return "well"
	case *h.Exit == runview.ExitRefused:
		return "wait"
	}
	return "ill"
}

func (h *pages) showAccount(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	plan, err := h.desk.Plan(r.Context(), a.Name)
	v := &accountView{card: h.cardOf(&a, plan)}
	if err == nil {
		err = h.fill(r, v, &a, plan)
	}
	if err != nil {
		h.refuse(w, r, h.problemOf(err))
		return
	}
	said := ""
	if a.Suspended != nil && r.URL.Query().Get("done") == approved {
		said = catalogue.Say("done.approved-suspended")
	}
	h.show(w, r, http.StatusOK, "account", view{
		Title: v.Name, Account: a.Name, Follows: true, Plan: v.PlanHash, Done: said, Of: v,
	})
}

// fill reads what the page of an account shows beyond its card.
func (h *pages) fill(r *http.Request, v *accountView, a *daemon.Status, p *planview.Document) error {
	zone := shown.Zone(a.Account)
	approvals, err := h.desk.Approvals(r.Context(), a.Name)
	if err != nil {
		return err
	}
	names := words.NamesOf(h.Schemas, nil)
	if p != nil {
		names = words.NamesOf(h.Schemas, p.Changes)
		_, said, err := h.said(r.Context(), a.Name)
		if err != nil {
			return err
		}
		parts, err := planview.HTMLPartsSaid(h.Schemas, h.branded(r.Context(), a.Name, p), talk.At(said, v.Path, zone))
		if err != nil {
			return err
		}
		v.Parts, v.PlanHash, v.Reviews = parts, p.PlanHash, reviewLines(p.Review, zone)
		v.Conflicts = conflicts.Of(h.Schemas, p, names, zone)
		v.Held = held.Of(h.Schemas, p, names, approvals, h.Now(), zone)
	}
	for i := len(approvals) - 1; i >= 0 && len(v.Approvals) < runsShown; i-- {
		one := approvals[i]
		v.Approvals = append(v.Approvals, approvalView{shown.Name(one.By), shown.Reason(one.Note),
			runview.Page(one.Link), shown.Text(one.PlanHash, 7), shown.MomentOf(one.Time, zone),
			held.Allowances(names, one.Allow)})
	}
	v.Rewritten = rewrittenOf(a.Rewritten, zone)
	accepted, err := h.desk.Acceptances(r.Context(), a.Name)
	if err != nil {
		return err
	}
	for i := len(accepted) - 1; i >= 0 && len(v.Accepted) < runsShown; i-- {
		one := accepted[i]
		v.Accepted = append(v.Accepted, acceptedView{shown.Name(one.By), shown.Reason(one.Note),
			shown.Text(one.Commit, 12), shown.Text(one.Before, 12), shown.MomentOf(one.Time, zone)})
	}
	archive, err := h.desk.Archive(r.Context(), a.Name)
	if err != nil {
		return err
	}
	points, err := archive.Exposures()
	if err != nil {
		return err
	}
	v.Chart = chart.Of(points, a.Account)
	runs, err := h.desk.Runs(r.Context(), a.Name)
	if err != nil {
		return err
	}
	v.Runs, v.More = runLines(a, runs, runsShown)
	return nil
}

// runLines puts the first runs of a history in lines, and counts the others.
func runLines(a *daemon.Status, runs []runview.Head, most int) ([]runLine, int) {
	more := max(0, len(runs)-most)
	var lines []runLine
	for i := range runs[:len(runs)-more] {
		lines = append(lines, runLine{runs[i].Line(),
			runPath(a.Name, runs[i].Run), moodOf(&runs[i]), shown.MomentOf(runs[i].Started, shown.Zone(a.Account))})
	}
	return lines, more
}

func runPath(account, run string) string {
	return accountPath(account) + "/runs/" + url.PathEscape(run)
}

// runsView is the history of an account.
type runsView struct {
	Name, Path string
	Runs       []runLine
	More       int
}

func (h *pages) showRuns(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	runs, err := h.desk.Runs(r.Context(), a.Name)
	if err != nil {
		h.refuse(w, r, h.problemOf(err))
		return
	}
	v := runsView{Name: shown.Text(a.Name, 200), Path: accountPath(a.Name)}
	v.Runs, v.More = runLines(&a, runs, 1000)
	h.show(w, r, http.StatusOK, "runs", view{Title: catalogue.Say("runs.title-of", "name", v.Name), Of: v})
}

// runView is one run.
type runView struct {
	Name, Path, Title string
	Part              template.HTML
	Running           bool
	Undo              string // where it is taken back; "" where it cannot be
	Talk              talk.View
}

func (h *pages) showRun(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	run, err := h.desk.Report(r.Context(), a.Name, r.PathValue("run"))
	if err != nil {
		h.refuse(w, r, h.problemOf(err))
		return
	}
	run.Zone = shown.Zone(a.Account)
	undo := ""
	c := callerOf(r)
	if run.Undoable() && !h.readOnly() && (c.session == nil || c.may(roles.Editor, a.Name)) {
		undo = runPath(a.Name, run.Run) + "/undo"
	}
	part, err := runview.HTMLPart(h.Schemas, run, undo)
	if err != nil {
		h.refuse(w, r, h.problemOf(err))
		return
	}
	_, said, err := h.said(r.Context(), a.Name)
	if err != nil {
		h.refuse(w, r, h.problemOf(err))
		return
	}
	v := runView{shown.Text(a.Name, 200), accountPath(a.Name), run.Title(), part, run.Ended == runview.Running, undo,
		talk.Of(said, "", run.Run, accountPath(a.Name), nameOf(callerOf(r)), run.Zone)}
	h.show(w, r, http.StatusOK, "run", view{Title: v.Title, Account: a.Name, Follows: v.Running, Of: v})
}
