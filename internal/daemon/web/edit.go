package web

import (
	"context"
	"net/http"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/drafts"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

// draftDocument is what an edit of the files would write.
type draftDocument struct {
	FormatVersion int `json:"format_version"`
	*daemon.Draft
}

// editedDocument is where an edit is.
type editedDocument struct {
	FormatVersion int `json:"format_version"`
	daemon.Edited
}

// draft finds what takes a run back in the files, or takes over what is live. It asks the service, so that few are
// found side by side.
func (g *giver) draft(r *http.Request, account string) (*daemon.Draft, *problem) {
	leave, full := g.enter()
	if full != nil {
		return nil, full
	}
	defer leave()
	ctx, end := context.WithTimeout(r.Context(), lookTime)
	defer end()
	d, err := g.desk.Draft(ctx, account, daemon.Edit{Run: r.PathValue("run"), Of: r.URL.Query().Get("of")})
	if err != nil {
		return nil, new(g.problemOf(err))
	}
	return d, nil
}

// edit has a draft written, where it is still what was shown.
func (g *giver) edit(r *http.Request, o order, of, digest, reason string) (daemon.Edited, *problem) {
	e := daemon.EditOrder{Edit: daemon.Edit{Run: r.PathValue("run"), Of: of}, Digest: digest,
		By: o.by, From: o.from, Who: o.who, Reason: shown.Reason(reason), Time: g.Now().UTC()}
	if e.Reason == "" {
		return daemon.Edited{}, &problem{http.StatusBadRequest, "no_reason",
			catalogue.Say("problem.no-reason")}
	}
	// Who goes away meanwhile has ordered it all the same, with its pull request.
	ctx, end := context.WithTimeout(context.WithoutCancel(r.Context()), lookTime)
	defer end()
	edited, err := g.desk.Edit(ctx, o.account, e)
	if err != nil {
		return edited, new(g.problemOf(err))
	}
	return edited, nil
}

func (h *forms) aboutDraft(a *daemon.Status) drafts.About {
	return drafts.About{Name: a.Name, Path: accountPath(a.Name), Account: a.Account, Schemas: h.Schemas,
		Plans: a.PlanOnly}
}

func (h *forms) showDraft(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	d, p := h.give.draft(r, a.Name)
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	with := *d
	with.Plan = h.branded(r.Context(), a.Name, d.Plan)
	v, err := drafts.Show(h.aboutDraft(&a), &with)
	if err != nil {
		h.refuse(w, r, h.problemOf(err))
		return
	}
	h.show(w, r, http.StatusOK, "draft", view{Title: v.Title, Account: a.Name, Of: v})
}

// formEdit answers at once and leads nowhere: what it did is not to be done again, but where half of it is missing.
func (h *forms) formEdit(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	of, digest, reason := r.PostForm.Get("of"), r.PostForm.Get("draft"), r.PostForm.Get("reason")
	e, p := h.give.edit(r, h.orderFor(r, a.Name, callerOf(r).name), of, digest, reason)
	if p != nil && p.code != "not_opened" {
		h.refuse(w, r, *p)
		return
	}
	v := drafts.Tell(h.aboutDraft(&a), shown.Text(r.PathValue("run"), 40), e)
	status := http.StatusOK
	if p != nil {
		v.Trouble, v.Again, status = words.Upper(p.message), r.URL.EscapedPath(), p.status
		v.Note, v.Digest, v.Of = shown.Reason(reason), digest, of
	}
	h.show(w, r, status, "edited", view{Title: v.Title, Account: a.Name, Of: v})
}

func (h *api) getDraft(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	d, p := h.give.draft(r, a.Name)
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	writeJSON(w, http.StatusOK, draftDocument{formatVersion, d})
}

func (h *api) postEdit(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Of     string `json:"of"`
		Digest string `json:"digest"`
		By     string `json:"by"`
		Reason string `json:"reason"`
	}
	o, ok := h.orderOf(w, r, &body, &body.By)
	if !ok {
		return
	}
	e, p := h.give.edit(r, o, body.Of, body.Digest, body.Reason)
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	writeJSON(w, http.StatusCreated, editedDocument{formatVersion, e})
}
