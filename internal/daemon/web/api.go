package web

import (
	"net/http"

	"adsync/internal/daemon"
	"adsync/internal/runview"
)

// formatVersion stands in every document that is the API's own; a plan and a run
// have their own.
const formatVersion = 1

type accountsDocument struct {
	FormatVersion int                  `json:"format_version"`
	Accounts      []daemon.Status      `json:"accounts"`
	Next          string               `json:"next,omitempty"`
	Total         int                  `json:"total"`
	States        map[daemon.Class]int `json:"states"`
	Totals        []daemon.Total       `json:"totals"`
	Missing       string               `json:"missing,omitempty"`
}

type accountDocument struct {
	FormatVersion int `json:"format_version"`
	daemon.Status
}

type exposuresDocument struct {
	FormatVersion int            `json:"format_version"`
	Exposures     []daemon.Point `json:"exposures"`
}

type approvalsDocument struct {
	FormatVersion int               `json:"format_version"`
	Approvals     []daemon.Approval `json:"approvals"`
}

type acceptancesDocument struct {
	FormatVersion int                 `json:"format_version"`
	Acceptances   []daemon.Acceptance `json:"acceptances"`
}

// api answers programs.
type api struct {
	*replies
	give *giver
}

func (h *api) routes() []route {
	const account = "/api/v1/accounts/{account}"
	return []route{
		{"GET", "/api/v1/accounts", somebody, h.getAccounts},
		{"GET", account, viewers, h.getAccount},
		{"GET", account + "/plan", viewers, h.getPlan},
		{"GET", account + "/runs", viewers, h.getRuns},
		{"GET", account + "/runs/{run}", viewers, h.getRun},
		{"GET", account + "/exposures", viewers, h.getExposures},
		{"GET", account + "/figures", viewers, h.getFigures},
		{"GET", account + "/activity", viewers, h.getActivity},
		{"GET", account + "/approvals", viewers, h.getApprovals},
		{"GET", account + "/acceptances", viewers, h.getAcceptances},
		{"GET", account + "/files", viewers, h.getFiles},
		{"GET", account + "/file", viewers, h.give.getFile},
		{"GET", account + "/looks/{look}/marked", editors, h.give.getMarked},
		{"POST", account + "/approvals", approvers, h.program(h.postApproval)},
		{"POST", account + "/acceptances", operators, h.program(h.postAcceptance)},
		{"POST", account + "/wake", editors, h.program(h.postWake)},
		{"POST", account + "/suspend", editors, h.program(h.postSuspend)},
		{"POST", account + "/resume", approvers, h.program(h.postResume)},
		{"POST", account + "/pauses", editors, h.program(h.postPause)},
		{"POST", account + "/pauses/{pause}/go-on", approvers, h.program(h.postGoOn)},
		{"GET", account + "/runs/{run}/undo", editors, h.getDraft},
		{"POST", account + "/runs/{run}/undo", editors, h.program(h.postEdit)},
		{"GET", account + "/theirs", editors, h.getDraft},
		{"POST", account + "/theirs", editors, h.program(h.postEdit)},
		{"POST", account + "/looks/{look}/commit", editors, h.program(h.postCommit)},
		{"POST", account + "/look", editors, h.program(h.postLook)},
	}
}

// getAccounts answers with a part of the accounts, as the query of the address chooses it.
func (h *api) getAccounts(w http.ResponseWriter, r *http.Request) {
	q, p := queryOf(r.URL.Query())
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	q.Now, q.Only = h.Now(), callerOf(r).grant.Seen()
	l := h.desk.List(r.Context(), q)
	total := 0
	for _, n := range l.Counts {
		total += n
	}
	writeJSON(w, http.StatusOK,
		accountsDocument{formatVersion, notNil(l.Accounts), l.Next, total, l.Counts, notNil(l.Totals), l.Missing})
}

func (h *api) getAccount(w http.ResponseWriter, r *http.Request) {
	if a, ok := h.account(w, r); ok {
		writeJSON(w, http.StatusOK, accountDocument{formatVersion, a})
	}
}

func (h *api) getPlan(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	plan, err := h.desk.Plan(r.Context(), a.Name)
	if err != nil {
		h.refuse(w, r, h.problemOf(err))
		return
	}
	if plan == nil {
		h.refuse(w, r, problem{http.StatusNotFound, "no_plan", "there is no plan yet"})
		return
	}
	writeJSON(w, http.StatusOK, plan)
}

func (h *api) getRuns(w http.ResponseWriter, r *http.Request) {
	if a, ok := h.account(w, r); ok {
		runs, err := h.desk.Runs(r.Context(), a.Name)
		h.answer(w, r, runview.History{FormatVersion: runview.FormatVersion, Runs: notNil(runs)}, err)
	}
}

func (h *api) getRun(w http.ResponseWriter, r *http.Request) {
	if a, ok := h.account(w, r); ok {
		run, err := h.desk.Report(r.Context(), a.Name, r.PathValue("run"))
		h.answer(w, r, run, err)
	}
}

func (h *api) getExposures(w http.ResponseWriter, r *http.Request) {
	if a, ok := h.account(w, r); ok {
		var points []daemon.Point
		archive, err := h.desk.Archive(r.Context(), a.Name)
		if err == nil {
			points, err = archive.Exposures()
		}
		h.answer(w, r, exposuresDocument{formatVersion, notNil(points)}, err)
	}
}

func (h *api) getApprovals(w http.ResponseWriter, r *http.Request) {
	if a, ok := h.account(w, r); ok {
		approvals, err := h.desk.Approvals(r.Context(), a.Name)
		for i := range approvals {
			approvals[i].From = "" // the activity tells it to who may know
		}
		h.answer(w, r, approvalsDocument{formatVersion, notNil(approvals)}, err)
	}
}

func (h *api) getAcceptances(w http.ResponseWriter, r *http.Request) {
	if a, ok := h.account(w, r); ok {
		all, err := h.desk.Acceptances(r.Context(), a.Name)
		for i := range all {
			all[i].From = ""
		}
		h.answer(w, r, acceptancesDocument{formatVersion, notNil(all)}, err)
	}
}

// account is the one a path names; where there is none, it says so.
func (re *replies) account(w http.ResponseWriter, r *http.Request) (daemon.Status, bool) {
	a, err := re.desk.Account(r.Context(), r.PathValue("account"))
	if err != nil {
		re.refuse(w, r, re.problemOf(err))
	}
	return a, err == nil
}

func (re *replies) answer(w http.ResponseWriter, r *http.Request, value any, err error) {
	if err != nil {
		re.refuse(w, r, re.problemOf(err))
		return
	}
	writeJSON(w, http.StatusOK, value)
}

// notNil writes an empty list as [], not as null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
