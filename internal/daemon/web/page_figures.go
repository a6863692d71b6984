package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/campaigns"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/words/catalogue"
)

// figures finds what an address asks for; where it cannot, it says why.
func (re *replies) figures(w http.ResponseWriter, r *http.Request) (daemon.Status, *campaigns.Found, bool) {
	return found(re, w, r, campaigns.Find)
}

// found finds what an address asks for of an account; where it cannot, it says why.
func found[F any](re *replies, w http.ResponseWriter, r *http.Request,
	find func(context.Context, campaigns.Account, url.Values, time.Time) (F, error)) (a daemon.Status, f F, ok bool) {
	if a, ok = re.account(w, r); !ok {
		return a, f, false
	}
	of := campaigns.Account{Reached: a.Reached}
	var err error
	if of.Archive, err = re.desk.Archive(r.Context(), a.Name); err == nil {
		of.Plan, err = re.desk.Plan(r.Context(), a.Name)
	}
	if err == nil {
		f, err = find(r.Context(), of, r.URL.Query(), re.Now())
	}
	var wrong campaigns.Wrong
	switch {
	case errors.As(err, &wrong):
		re.refuse(w, r, problem{http.StatusBadRequest, "bad_request", string(wrong)})
	case err != nil:
		re.refuse(w, r, re.problemOf(err))
	}
	return a, f, err == nil
}

func (h *pages) showFigures(w http.ResponseWriter, r *http.Request) {
	a, f, ok := h.figures(w, r)
	if !ok {
		return
	}
	v := f.View(shown.Name(a.Name), accountPath(a.Name))
	h.show(w, r, http.StatusOK, "figures", view{Account: a.Name, Of: v,
		Title: catalogue.Say("campaigns.title-of", "what", v.Title, "name", v.Name)})
}

// sendFigures gives all lines that are asked for as CSV.
func (h *pages) sendFigures(w http.ResponseWriter, r *http.Request) {
	_, f, ok := h.figures(w, r)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s"`, f.SheetName()))
	f.WriteSheet(w)
}

func (h *api) getFigures(w http.ResponseWriter, r *http.Request) {
	if _, f, ok := h.figures(w, r); ok {
		writeJSON(w, http.StatusOK, f.Document())
	}
}
