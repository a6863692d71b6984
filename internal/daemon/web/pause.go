package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/figures"
	"adsync/internal/orders"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

// atTop are the levels that stand beneath nothing: what a pause is of.
var atTop = figures.Levels[:1]

// pause orders a pause of a resource by its id, or of all. A pause of all suspends the account as well, so that nothing
// starts anything behind it.
func (g *giver) pause(ctx context.Context, o order, resource, reason string) *problem {
	p := orders.Pause{By: o.by, From: o.from, Reason: shown.Reason(reason), Since: g.Now().UTC().Truncate(time.Second)}
	if p.Reason == "" {
		return &problem{http.StatusBadRequest, "no_reason", catalogue.Say("problem.pause-reason")}
	}
	a, err := g.desk.Account(ctx, o.account)
	if err == nil && a.PlanOnly {
		return &problem{http.StatusConflict, "plan_only",
			catalogue.Say("problem.pause-plan-only", "command", "adsync pause-all")}
	}
	if err == nil && resource != "" {
		p.Resource = resource
		p.Name, err = g.nameOf(ctx, o.account, resource)
	}
	if err == nil && resource == "" && a.Suspended == nil {
		err = g.desk.Order(ctx, o.account, daemon.Suspending(
			daemon.Suspension{By: p.By, From: p.From,
				Reason: catalogue.Say("pause.suspends", "reason", p.Reason), Since: p.Since}))
	}
	if err == nil {
		err = g.desk.Order(ctx, o.account, daemon.Pausing(p))
	}
	return g.ordered("a pause was ordered", o, err)
}

// errNoResource says that nothing of an id is known that can be paused.
var errNoResource = errors.New("no such resource")

// nameOf is what something at the top is called; its id where what there is cannot be read now.
func (g *giver) nameOf(ctx context.Context, account, id string) (string, error) {
	archive, err := g.desk.Archive(ctx, account)
	if err != nil {
		return "", err
	}
	settings, err := archive.Settings(ctx, atTop)
	if err != nil || len(settings[atTop[0]]) == 0 {
		return shown.Name(id), nil
	}
	s, known := settings[atTop[0]][id]
	if !known || s.Removed {
		return "", errNoResource
	}
	return shown.Name(cmp.Or(s.Name, id)), nil
}

// goOn orders to start again what a pause has paused, and ends the suspension that came with it.
func (g *giver) goOn(ctx context.Context, o order, id, reason string) *problem {
	a, err := g.desk.Account(ctx, o.account)
	if err == nil {
		at := slices.IndexFunc(a.Pauses, func(p daemon.Pause) bool { return p.ID == id })
		if s := a.Suspended; at >= 0 && a.Pauses[at].Resource == "" && s != nil && !s.File &&
			s.By == a.Pauses[at].By && s.Since.Equal(a.Pauses[at].Since) {
			err = g.desk.Order(ctx, o.account, daemon.Resuming(o.by, o.from, shown.Reason(reason)))
		}
	}
	if err == nil {
		err = g.desk.Order(ctx, o.account, daemon.GoingOn(id,
			orders.GoOn{By: o.by, From: o.from, Reason: shown.Reason(reason), Since: g.Now().UTC()}))
	}
	return g.ordered("an order to go on was given", o, err)
}

func (g *giver) ordered(what string, o order, err error) *problem {
	var p problem
	switch {
	case err == nil:
		g.Log.Info(what, "account", o.account, "by", o.by)
		return nil
	case errors.Is(err, errNoResource):
		p = problem{http.StatusNotFound, "no_resource", catalogue.Say("problem.no-resource")}
	case errors.Is(err, orders.ErrNoPause):
		p = problem{http.StatusConflict, "no_pause", err.Error()}
	default:
		p = g.problemOf(err)
	}
	return &p
}

func (h *forms) formPause(w http.ResponseWriter, r *http.Request) {
	if o, ok := h.orderBy(w, r); ok {
		h.after(w, r, o, "paused", h.give.pause(r.Context(), o, r.PostForm.Get("resource"), r.PostForm.Get("reason")))
	}
}

func (h *forms) formGoOn(w http.ResponseWriter, r *http.Request) {
	if o, ok := h.orderBy(w, r); ok {
		h.after(w, r, o, "going-on", h.give.goOn(r.Context(), o, r.PathValue("pause"), r.PostForm.Get("reason")))
	}
}

func (h *api) postPause(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Resource string `json:"resource"` // its id at the service; "" pauses all
		By       string `json:"by"`
		Reason   string `json:"reason"`
	}
	if o, ok := h.orderOf(w, r, &body, &body.By); ok {
		h.done(w, r, http.StatusAccepted, h.give.pause(r.Context(), o, body.Resource, body.Reason))
	}
}

func (h *api) postGoOn(w http.ResponseWriter, r *http.Request) {
	var body struct {
		By     string `json:"by"`
		Reason string `json:"reason"`
	}
	if o, ok := h.orderOf(w, r, &body, &body.By); ok {
		h.done(w, r, http.StatusAccepted, h.give.goOn(r.Context(), o, r.PathValue("pause"), body.Reason))
	}
}

// pauseView is the page from which something is paused.
type pauseView struct {
	Name, Path string
	PlanOnly   bool
	Choices    []pauseChoice
	More       int // that are active too
}

type pauseChoice struct {
	ID, Name string
	Chosen   bool
}

// choicesMost is how many resources a page offers to pause.
const choicesMost = 500

func (h *forms) showPause(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	v := pauseView{Name: shown.Text(a.Name, 200), Path: accountPath(a.Name), PlanOnly: a.PlanOnly}
	archive, err := h.desk.Archive(r.Context(), a.Name)
	var settings map[string]map[string]daemon.Setting
	if err == nil {
		settings, err = archive.Settings(r.Context(), atTop)
	}
	if err != nil { // all can be paused all the same
		h.Log.Warn("what can be paused cannot be read", "account", a.Name, "error", err)
	}
	asked := r.URL.Query().Get("resource")
	for id, s := range settings[atTop[0]] {
		if s.Status == "active" || id == asked && !s.Removed {
			v.Choices = append(v.Choices, pauseChoice{id, shown.Name(cmp.Or(s.Name, id)), id == asked})
		}
	}
	slices.SortFunc(v.Choices, func(a, b pauseChoice) int {
		if a.Chosen != b.Chosen {
			return map[bool]int{true: -1, false: 1}[a.Chosen]
		}
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	if v.More = max(0, len(v.Choices)-choicesMost); v.More > 0 {
		v.Choices = v.Choices[:choicesMost]
	}
	h.show(w, r, http.StatusOK, "pause", view{
		Title: catalogue.Say("pause.title-of", "name", v.Name), Account: a.Name, Of: v})
}

// standingPause is a pause that stands, as it is read.
type standingPause struct {
	ID, What, By, Reason string
	Since                shown.Moment
	Settled              bool
	Names, Said, GoesOn  string
}

func standingPauses(pauses []daemon.Pause, zone *time.Location) (all []standingPause) {
	for i := range pauses {
		p := &pauses[i]
		one := standingPause{ID: shown.Text(p.ID, 40), What: shown.Name(p.What()), By: shown.Name(p.By),
			Reason: shown.Reason(p.Reason), Since: shown.MomentOf(p.Since, zone),
			Settled: p.Settled, Said: words.Upper(shown.Reason(p.Said))}
		if p.GoOn != nil {
			one.GoesOn = shown.Name(p.GoOn.By)
		}
		var names []string
		for _, name := range p.First {
			names = append(names, shown.Name(name))
		}
		one.Names = strings.Join(names, ", ")
		if more := p.Paused - len(names); more > 0 {
			one.Names = catalogue.Say("pause.names-more", "names", one.Names, "n", more)
		}
		if one.Names == one.What {
			one.Names = ""
		}
		if p.Settled && p.Paused == 0 {
			one.Names = catalogue.Say("pause.nothing")
		}
		all = append(all, one)
	}
	return all
}
