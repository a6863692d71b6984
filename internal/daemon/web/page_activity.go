package web

import (
	"cmp"
	"net/http"
	"strconv"

	"adsync/internal/daemon/web/activity"
	"adsync/internal/daemon/web/shown"
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
				"page is no number of a page; want 1 or more"})
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
	all, err := s.Events(r.Context())
	return s, all, err
}

func (h *pages) showActivity(w http.ResponseWriter, r *http.Request) {
	if d, ok := h.happened(w, r); ok {
		v := activity.Show(d.about, d.events, d.page, d.more)
		h.show(w, r, http.StatusOK, "activity", view{Title: "Activity of " + cmp.Or(v.Of, v.Name),
			Account: d.about.Name, Of: v})
	}
}

func (h *api) getActivity(w http.ResponseWriter, r *http.Request) {
	if d, ok := h.happened(w, r); ok {
		writeJSON(w, http.StatusOK, activityDocument{formatVersion, notNil(d.events), d.more})
	}
}
