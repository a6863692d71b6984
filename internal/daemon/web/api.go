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
	FormatVersion int             `json:"format_version"`
	Accounts      []daemon.Status `json:"accounts"`
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

func (s *Server) getAccounts(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, accountsDocument{formatVersion, notNil(s.desk.Accounts())})
}

func (s *Server) getAccount(w http.ResponseWriter, r *http.Request) {
	if a, ok := s.account(w, r); ok {
		writeJSON(w, http.StatusOK, accountDocument{formatVersion, a})
	}
}

func (s *Server) getPlan(w http.ResponseWriter, r *http.Request) {
	a, ok := s.account(w, r)
	if !ok {
		return
	}
	plan := s.desk.Plan(a.Name)
	if plan == nil {
		s.refuse(w, r, problem{http.StatusNotFound, "no_plan", "there is no plan yet"})
		return
	}
	writeJSON(w, http.StatusOK, plan)
}

func (s *Server) getRuns(w http.ResponseWriter, r *http.Request) {
	if a, ok := s.account(w, r); ok {
		runs, err := s.desk.Runs(r.Context(), a.Name)
		s.answer(w, r, runview.History{FormatVersion: runview.FormatVersion, Runs: notNil(runs)}, err)
	}
}

func (s *Server) getRun(w http.ResponseWriter, r *http.Request) {
	if a, ok := s.account(w, r); ok {
		run, err := s.desk.Report(r.Context(), a.Name, r.PathValue("run"))
		s.answer(w, r, run, err)
	}
}

func (s *Server) getExposures(w http.ResponseWriter, r *http.Request) {
	if a, ok := s.account(w, r); ok {
		points, err := s.desk.Exposures(r.Context(), a.Name)
		s.answer(w, r, exposuresDocument{formatVersion, notNil(points)}, err)
	}
}

func (s *Server) getApprovals(w http.ResponseWriter, r *http.Request) {
	if a, ok := s.account(w, r); ok {
		approvals, err := s.desk.Approvals(r.Context(), a.Name)
		s.answer(w, r, approvalsDocument{formatVersion, notNil(approvals)}, err)
	}
}

func (s *Server) getAcceptances(w http.ResponseWriter, r *http.Request) {
	if a, ok := s.account(w, r); ok {
		all, err := s.desk.Acceptances(r.Context(), a.Name)
		s.answer(w, r, acceptancesDocument{formatVersion, notNil(all)}, err)
	}
}

// account is the one a path names; where there is none, it says so.
func (s *Server) account(w http.ResponseWriter, r *http.Request) (daemon.Status, bool) {
	a, ok := s.desk.Account(r.PathValue("account"))
	if !ok {
		s.refuse(w, r, s.problemOf(daemon.ErrNoAccount))
	}
	return a, ok
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, value any, err error) {
	if err != nil {
		s.refuse(w, r, s.problemOf(err))
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
