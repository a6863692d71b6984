package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"adsync/internal/comments"
	"adsync/internal/daemon"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/web/activity"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/daemon/web/talk"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"
)

// activityDocument is what happened in an account, the newest first.
type activityDocument struct {
	FormatVersion int              `json:"format_version"`
	Events        []activity.Event `json:"events"`
	More          bool             `json:"more"` // there is another page
}

// happened is a page of what happened in an account.
type happened struct {
	about  activity.About
	events []activity.Event
	page   int
	more   bool
}

// happened finds what an address asks for; where it cannot, it says why.
func (re *replies) happened(w http.ResponseWriter, r *http.Request) (h happened, ok bool) {
	a, ok := re.account(w, r)
	if !ok {
		return h, false
	}
	h.page = 1
	if text := r.URL.Query().Get("page"); text != "" {
		var err error
		if h.page, err = strconv.Atoi(text); err != nil || h.page < 1 || h.page > 1_000_000 {
			re.refuse(w, r, problem{http.StatusBadRequest, "bad_request",
				catalogue.Say("problem.page")})
			return h, false
		}
	}
	h.about = activity.About{Name: a.Name, Path: accountPath(a.Name), Currency: a.Account.Currency,
		Zone: shown.Zone(a.Account), Of: r.URL.Query().Get("of")}
	s, all, err := re.allHappened(r, a.Name, h.about.Of)
	if err == nil {
		h.about.OfName = s.Name
		h.events, h.more = activity.Page(all, h.page)
		err = activity.Compare(s.Archive.Figures(), h.events, re.Now())
	}
	if err != nil {
		re.refuse(w, r, re.problemOf(err))
	}
	return h, err == nil
}

func (re *replies) allHappened(r *http.Request, name, of string) (s *activity.Sources, _ []activity.Event, err error) {
	s = &activity.Sources{Schemas: re.Schemas, Of: of}
	if s.Archive, err = re.desk.Archive(r.Context(), name); err != nil {
		return s, nil, err
	}
	if s.Plan, err = re.desk.Plan(r.Context(), name); err != nil {
		return s, nil, err
	}
	if s.Runs, err = re.desk.Runs(r.Context(), name); err != nil {
		return s, nil, err
	}
	if s.Approvals, err = re.desk.Approvals(r.Context(), name); err != nil {
		return s, nil, err
	}
	if s.Accepted, err = re.desk.Acceptances(r.Context(), name); err != nil {
		return s, nil, err
	}
	if s.Comments, err = s.Archive.Comments().All(); err != nil {
		return s, nil, err
	}
	if s.Outside, err = s.Archive.Outside().All(); err != nil {
		return s, nil, err
	}
	all, err := s.Events(r.Context())
	if callerOf(r).grant.Role(name) < roles.Operator { // from which address an order came is for who runs the daemon
		for i := range all {
			all[i].From, _, _ = strings.Cut(all[i].From, " ")
		}
	}
	return s, all, err
}

func (h *pages) showActivity(w http.ResponseWriter, r *http.Request) {
	if d, ok := h.happened(w, r); ok {
		v := activity.Show(d.about, d.events, d.page, d.more)
		h.show(w, r, http.StatusOK, "activity", view{Account: d.about.Name, Of: v,
			Title: catalogue.Say("activity.title-of", "what", cmp.Or(v.Of, v.Name))})
	}
}

func (h *api) getActivity(w http.ResponseWriter, r *http.Request) {
	if d, ok := h.happened(w, r); ok {
		writeJSON(w, http.StatusOK, activityDocument{formatVersion, notNil(d.events), d.more})
	}
}

// commentsDocument is what people said, the oldest first.
type commentsDocument struct {
	FormatVersion int                `json:"format_version"`
	Comments      []comments.Comment `json:"comments"`
}

// talks take and show what people say of changes and runs.
type talks struct{ *api }

func (h *talks) routes() []route {
	const page, api = "/accounts/{account}/comments", "/api/v1/accounts/{account}/comments"
	return []route{
		{"GET", page, viewers, h.showTalk},
		{"POST", page, editors, h.person(h.formComment)},
		{"POST", page + "/{comment}/delete", editors, h.person(h.formDelete)},
		{"GET", api, viewers, h.getComments},
		{"POST", api, editors, h.program(h.postComment)},
		{"POST", api + "/{comment}/delete", editors, h.program(h.postDelete)},
	}
}

// said are the comments of an account.
func (re *replies) said(ctx context.Context, account string) (comments.Kept, []comments.Comment, error) {
	archive, err := re.desk.Archive(ctx, account)
	if err != nil {
		return comments.Kept{}, nil, err
	}
	kept := archive.Comments()
	all, err := kept.All()
	return kept, all, err
}

// nameOf is by which name somebody's comments are.
func nameOf(c *caller) string {
	if c.name == "" && c.session != nil {
		return c.session.name
	}
	return c.name
}

func (h *talks) showTalk(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	plan, err := h.desk.Plan(r.Context(), a.Name)
	var all []comments.Comment
	if err == nil {
		_, all, err = h.said(r.Context(), a.Name)
	}
	if err != nil {
		h.refuse(w, r, h.problemOf(err))
		return
	}
	of := r.URL.Query().Get("of")
	about, there := talk.About(h.Schemas, plan, of)
	v := talk.Page{Name: shown.Text(a.Name, 200), Path: accountPath(a.Name), About: shown.Reason(about),
		Talk: talk.Of(all, of, "", accountPath(a.Name), nameOf(callerOf(r)), shown.Zone(a.Account))}
	switch {
	case there:
		v.Change = v.Path + "#" + planview.Anchor(of)
	case len(v.Talk.All) == 0:
		h.refuse(w, r, noChange(of))
		return
	}
	h.show(w, r, http.StatusOK, "talk-page", view{Title: cmp.Or(v.About, catalogue.Say("comments.title")), Of: v})
}

func noChange(of string) problem {
	return problem{http.StatusNotFound, "no_change",
		catalogue.Say("problem.no-change", "address", strconv.Quote(shown.Text(of, 200)))}
}

// comment keeps what somebody said of a change of the last plan, or of a run.
func (h *talks) comment(ctx context.Context, o order, of, run, written string) (c comments.Comment, _ *problem) {
	text, err := comments.Text(written)
	switch {
	case err != nil:
		return c, &problem{http.StatusBadRequest, "bad_request", err.Error()}
	case (of == "") == (run == ""):
		return c, &problem{http.StatusBadRequest, "bad_request", catalogue.Say("problem.comment-of")}
	}
	c = comments.Comment{Time: h.Now().UTC(), By: o.by, Address: of, Run: run, Text: text}
	if run != "" {
		_, err = h.desk.Report(ctx, o.account, run)
	} else {
		plan, failed := h.desk.Plan(ctx, o.account)
		about, there := talk.About(h.Schemas, plan, of)
		if c.About = shown.Reason(about); failed == nil && !there {
			p := noChange(of)
			return c, &p
		}
		err = failed
	}
	var kept comments.Kept
	if err == nil {
		kept, _, err = h.said(ctx, o.account)
	}
	if err == nil {
		c, err = kept.Add(c)
	}
	if err != nil {
		p := h.talkProblem(err)
		return c, &p
	}
	h.Log.Info("somebody commented", "account", o.account, "by", o.by, "of", of+run)
	err = h.desk.Wake(ctx, o.account, daemon.Commented, orders.Ask{})
	if err != nil { // it is kept, and told with the next
		h.Log.Warn("who is concerned is not told of a comment yet", "account", o.account, "error", err)
	}
	return c, nil
}

// remove takes a comment away, by who wrote it.
func (h *talks) remove(ctx context.Context, o order, id string) *problem {
	kept, _, err := h.said(ctx, o.account)
	if err == nil {
		err = kept.Delete(id, o.by)
	}
	if err != nil {
		p := h.talkProblem(err)
		return &p
	}
	h.Log.Info("somebody took their comment away", "account", o.account, "by", o.by)
	return nil
}

func (h *talks) talkProblem(err error) problem {
	switch {
	case errors.Is(err, comments.ErrNone):
		return problem{http.StatusNotFound, "no_comment", err.Error()}
	case errors.Is(err, comments.ErrTheir):
		return problem{http.StatusForbidden, "their_comment", err.Error()}
	case errors.Is(err, comments.ErrFull):
		return problem{http.StatusConflict, "too_many_comments", err.Error()}
	}
	return h.problemOf(err)
}

// saidBy is who sends a form, and the page it leads back to.
func (h *talks) saidBy(w http.ResponseWriter, r *http.Request) (o order, of, run, back string, ok bool) {
	a, ok := h.account(w, r)
	of, run = r.PostForm.Get("of"), r.PostForm.Get("run")
	if back = talk.PathOf(accountPath(a.Name), of); run != "" {
		back = runPath(a.Name, run)
	}
	return h.orderFor(r, a.Name, nameOf(callerOf(r))), of, run, back, ok
}

func (h *talks) formComment(w http.ResponseWriter, r *http.Request) {
	o, of, run, back, ok := h.saidBy(w, r)
	if !ok {
		return
	}
	if _, p := h.comment(r.Context(), o, of, run, r.PostForm.Get("text")); p != nil {
		h.refuse(w, r, *p)
		return
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
}

func (h *talks) formDelete(w http.ResponseWriter, r *http.Request) {
	o, _, run, back, ok := h.saidBy(w, r)
	if !ok {
		return
	}
	if p := h.remove(r.Context(), o, r.PathValue("comment")); p != nil {
		h.refuse(w, r, *p)
		return
	}
	if run == "" { // the change may be gone, and with it its page
		back = accountPath(o.account)
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
}

func (h *talks) getComments(w http.ResponseWriter, r *http.Request) {
	if a, ok := h.account(w, r); ok {
		_, all, err := h.said(r.Context(), a.Name)
		h.answer(w, r, commentsDocument{formatVersion, notNil(all)}, err)
	}
}

func (h *talks) postComment(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Address string `json:"address"`
		Run     string `json:"run"`
		Text    string `json:"text"`
		By      string `json:"by"`
	}
	o, ok := h.orderOf(w, r, &body, &body.By)
	if !ok {
		return
	}
	c, p := h.comment(r.Context(), o, body.Address, body.Run, body.Text)
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	writeJSON(w, http.StatusCreated, commentsDocument{formatVersion, []comments.Comment{c}})
}

func (h *talks) postDelete(w http.ResponseWriter, r *http.Request) {
	var body struct {
		By string `json:"by"`
	}
	if o, ok := h.orderOf(w, r, &body, &body.By); ok {
		h.done(w, r, http.StatusOK, h.remove(r.Context(), o, r.PathValue("comment")))
	}
}
