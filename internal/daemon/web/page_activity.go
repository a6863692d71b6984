package web

import (
	"net/http"
	"strconv"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/activity"
	"adsync/internal/daemon/web/shown"
)

// activityDocument is what happened in an account, the newest first.
type activityDocument struct {
	FormatVersion int              `json:"format_version"`
	Events        []activity.Event `json:"events"`
	More          bool             `json:"more"` // there is another page
}

// happened finds a page of what happened in an account; where it cannot, it says why.
func (re *replies) happened(w http.ResponseWriter, r *http.Request) (a daemon.Status,
	events []activity.Event, page int, more, ok bool) {
	if a, ok = re.account(w, r); !ok {
		return a, nil, 0, false, false
	}
	page = 1
	if text := r.URL.Query().Get("page"); text != "" {
		var err error
		if page, err = strconv.Atoi(text); err != nil || page < 1 || page > 1_000_000 {
			re.refuse(w, r, problem{http.StatusBadRequest, "bad_request",
				"page is no number of a page; want 1 or more"})
			return a, nil, 0, false, false
		}
	}
	all, archive, err := re.allHappened(r, a.Name)
	if err == nil {
		events, more = activity.Page(all, page)
		err = activity.Compare(archive.Figures(), events, re.Now())
	}
	if err != nil {
		re.refuse(w, r, re.problemOf(err))
	}
	return a, events, page, more, err == nil
}

func (re *replies) allHappened(r *http.Request, name string) (_ []activity.Event, _ daemon.Archive, err error) {
	s := activity.Sources{Schemas: re.Schemas}
	if s.Archive, err = re.desk.Archive(r.Context(), name); err != nil {
		return nil, nil, err
	}
	if s.Plan, err = re.desk.Plan(r.Context(), name); err != nil {
		return nil, nil, err
	}
	if s.Runs, err = re.desk.Runs(r.Context(), name); err != nil {
		return nil, nil, err
	}
	if s.Approvals, err = re.desk.Approvals(r.Context(), name); err != nil {
		return nil, nil, err
	}
	if s.Accepted, err = re.desk.Acceptances(r.Context(), name); err != nil {
		return nil, nil, err
	}
	all, err := s.Events()
	return all, s.Archive, err
}

func (h *pages) showActivity(w http.ResponseWriter, r *http.Request) {
	if a, events, page, more, ok := h.happened(w, r); ok {
		v := activity.Show(a.Name, accountPath(a.Name), a.Account.Currency,
			events, page, more, shown.Zone(a.Account))
		h.show(w, r, http.StatusOK, "activity", view{Title: "Activity of " + v.Name, Account: a.Name, Of: v})
	}
}

func (h *api) getActivity(w http.ResponseWriter, r *http.Request) {
	if _, events, _, more, ok := h.happened(w, r); ok {
		writeJSON(w, http.StatusOK, activityDocument{formatVersion, notNil(events), more})
	}
}
