package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"
)

// problem is why a request is not answered: a code for programs, words for
// people.
type problem struct {
	status        int
	code, message string
}

// replies is what every answer needs: the options, the desk, and how a problem and
// a page are written.
type replies struct {
	*Options
	desk    daemon.Desk
	streams streams
}

// problemOf puts an error of the desk in words. What it does not know it logs
// and does not show.
func (re *replies) problemOf(err error) problem {
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, daemon.ErrNoAccount):
		return problem{http.StatusNotFound, "no_account", err.Error()}
	case errors.Is(err, daemon.ErrNoRun):
		return problem{http.StatusNotFound, "no_run", err.Error()}
	case errors.Is(err, daemon.ErrOtherPlan):
		return problem{http.StatusConflict, "other_plan",
			catalogue.Say("problem.other-plan")}
	case errors.Is(err, daemon.ErrOtherCommit):
		return problem{http.StatusConflict, "other_commit",
			catalogue.Say("problem.other-commit")}
	case errors.Is(err, daemon.ErrNoFile):
		return problem{http.StatusNotFound, "no_source", err.Error()}
	case errors.Is(err, daemon.ErrNoUploads):
		return problem{http.StatusNotFound, "no_uploads", err.Error()}
	case errors.Is(err, daemon.ErrElsewhere):
		return problem{http.StatusConflict, "elsewhere", shown.Reason(err.Error())}
	case errors.Is(err, daemon.ErrAway):
		re.Log.Warn("a request was not answered", "error", err)
		return problem{http.StatusServiceUnavailable, "not_now",
			catalogue.Say("problem.away")}
	case errors.Is(err, daemon.ErrNotNow):
		return problem{http.StatusServiceUnavailable, "not_now", shown.Reason(err.Error())}
	case errors.Is(err, daemon.ErrNotValid):
		return problem{http.StatusConflict, "not_valid", shown.Reason(err.Error())}
	case errors.Is(err, daemon.ErrNoEdit):
		return problem{http.StatusConflict, "no_edit", shown.Reason(err.Error())}
	case errors.Is(err, daemon.ErrNotWritten):
		return problem{http.StatusConflict, "not_written", shown.Reason(err.Error())}
	case errors.Is(err, daemon.ErrMoved), errors.Is(err, daemon.ErrEditMoved):
		return problem{http.StatusConflict, "moved", shown.Reason(err.Error())}
	case errors.Is(err, daemon.ErrNotOpened):
		return problem{http.StatusBadGateway, "not_opened", shown.Reason(err.Error())}
	case errors.Is(err, daemon.ErrNotPushed):
		return problem{http.StatusBadGateway, "not_pushed", shown.Reason(err.Error())}
	case errors.Is(err, daemon.ErrNoLook):
		return problem{http.StatusNotFound, "no_look", err.Error()}
	case errors.As(err, &large):
		return problem{http.StatusRequestEntityTooLarge,
			"too_large", catalogue.Say("problem.too-large", "n", planview.Thousands(int(large.Limit)))}
	}
	if errors.Is(err, context.Canceled) { // whoever asked has gone away, or the daemon ends
		return problem{http.StatusServiceUnavailable, "not_now", catalogue.Say("problem.broken-off")}
	}
	re.Log.Error("a request failed", "error", err)
	return problem{http.StatusInternalServerError, "internal", catalogue.Say("problem.internal")}
}

// formProblem returns why a form could not be read.
func (re *replies) formProblem(err error) problem {
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return re.problemOf(err)
	}
	return problem{http.StatusBadRequest, "bad_request", catalogue.Say("problem.form")}
}

// refuse answers with a problem: as JSON to programs, as a page to people.
func (re *replies) refuse(w http.ResponseWriter, r *http.Request, p problem) {
	if isPage(r) {
		re.showProblem(w, r, p)
		return
	}
	writeJSON(w, p.status, map[string]string{"code": p.code, "message": p.message})
}

// isPage reports whether a person asks.
func isPage(r *http.Request) bool {
	for _, prefix := range []string{"/api/", "/healthz", "/readyz", "/metrics", "/debug/", "/hooks/"} {
		if strings.HasPrefix(r.URL.Path, prefix) {
			return false
		}
	}
	return true
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	if err := encoder.Encode(value); err != nil {
		http.Error(w, "adsync failed", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(planview.Visible(b.String()))) // who asked may be gone
}
