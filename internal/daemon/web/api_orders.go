package web

import (
	"adsync/internal/daemon/web/shown"
	"adsync/internal/words/catalogue"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

// bodyMost is how many bytes an order has at most.
const bodyMost = 64 << 10

// program lets orders of the API through that come with the token itself: a
// browser sends a cookie by itself, and no token.
func (h *replies) program(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if c := callerOf(r); c.session != nil || c.proxied {
			h.refuse(w, r, problem{http.StatusForbidden, "form", "the API takes " +
				"orders with the token in the header Authorization; a browser uses the forms of the page"})
			return
		}
		next(w, r)
	}
}

func (h *api) postApproval(w http.ResponseWriter, r *http.Request) {
	var body struct {
		PlanHash string   `json:"plan_hash"` // of the plan that allow is of
		Allow    []string `json:"allow"`
		Items    []string `json:"items"` // in the place of both: as the plan's asks name them
		By       string   `json:"by"`
		Note     string   `json:"note"`
	}
	if o, ok := h.orderOf(w, r, &body, &body.By); ok {
		_, p := h.give.approve(r.Context(), o, choice{body.PlanHash, nil, body.Items, body.Allow}, body.Note)
		h.done(w, r, http.StatusCreated, p)
	}
}

func (h *api) postAcceptance(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Commit string `json:"commit"`
		By     string `json:"by"`
		Note   string `json:"note"`
	}
	if o, ok := h.orderOf(w, r, &body, &body.By); ok {
		h.done(w, r, http.StatusCreated, h.give.accept(r.Context(), o, body.Commit, body.Note))
	}
}

func (h *api) postWake(w http.ResponseWriter, r *http.Request) {
	var body struct {
		By     string `json:"by"`
		Reason string `json:"reason"`
	}
	if o, ok := h.orderOf(w, r, &body, &body.By); ok {
		h.done(w, r, http.StatusAccepted, h.give.wake(r.Context(), o, body.Reason))
	}
}

func (h *api) postSuspend(w http.ResponseWriter, r *http.Request) {
	var body struct {
		By     string `json:"by"`
		Reason string `json:"reason"`
		For    string `json:"for"` // "2h"; "" until somebody resumes it
	}
	o, ok := h.orderOf(w, r, &body, &body.By)
	if !ok {
		return
	}
	lasts, err := durationOf(body.For)
	if err != nil {
		h.refuse(w, r, *err)
		return
	}
	h.done(w, r, http.StatusOK, h.give.suspend(r.Context(), o, body.Reason, lasts))
}

func (h *api) postResume(w http.ResponseWriter, r *http.Request) {
	var body struct {
		By     string `json:"by"`
		Reason string `json:"reason"`
	}
	if o, ok := h.orderOf(w, r, &body, &body.By); ok {
		h.done(w, r, http.StatusOK, h.give.resume(r.Context(), o, body.Reason))
	}
}

func durationOf(text string) (time.Duration, *problem) {
	if text == "" {
		return 0, nil
	}
	lasts, err := time.ParseDuration(text)
	if err != nil || lasts <= 0 {
		return 0, &problem{http.StatusBadRequest, "bad_request",
			catalogue.Say("problem.duration", "time", shown.Text(text, 40))}
	}
	return lasts, nil
}

// orderOf reads an order for the account of the path.
func (h *api) orderOf(w http.ResponseWriter, r *http.Request, body any, by *string) (order, bool) {
	a, ok := h.account(w, r)
	if !ok {
		return order{}, false
	}
	given, ok := h.givenBy(w, r, body, by)
	return h.orderFor(r, a.Name, given), ok
}

// givenBy reads the body of an order: one JSON object, with no word that is not
// known. Who gives it is who the proxy names, else who the body names.
func (h *replies) givenBy(w http.ResponseWriter, r *http.Request, body any, by *string) (string, bool) {
	if p := wrongType(r.Header.Get("Content-Type")); p != nil {
		h.refuse(w, r, *p)
		return "", false
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyMost))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(body)
	if err == nil && decoder.Decode(new(any)) != io.EOF {
		err = errors.New("more than one value")
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		h.refuse(w, r, h.problemOf(err))
		return "", false
	case err != nil:
		h.refuse(w, r, problem{http.StatusBadRequest, "bad_request", "the body cannot be read: " +
			shown.Text(err.Error(), 200) + "; want one JSON object as docs/operate/api.yaml describes it"})
		return "", false
	}
	c := callerOf(r)
	given := c.name
	said := shown.Name(*by)
	if given == "" {
		given = said
	}
	if c.machine && said != "" && said != c.name {
		h.refuse(w, r, problem{http.StatusForbidden, "other_name",
			"by is " + said + ", and the token is of " + c.name + "; want its own name, or none"})
		return "", false
	}
	if given == "" {
		h.refuse(w, r, problem{http.StatusBadRequest, "no_name", "by is empty; want who gives the order"})
		return "", false
	}
	return given, true
}

// wrongType is why a body is not read that does not say it is JSON. What cannot be
// read of the header is shown as it was sent.
func wrongType(header string) *problem {
	if kind, _, err := mime.ParseMediaType(header); err == nil && kind == "application/json" {
		return nil
	}
	said := "there is no content type"
	if header != "" {
		said = fmt.Sprintf("the content type is %q", shown.Text(header, 80))
	}
	return &problem{http.StatusUnsupportedMediaType, "bad_request", said + "; want application/json"}
}

// done answers an order with the account as it is now.
func (h *api) done(w http.ResponseWriter, r *http.Request, status int, p *problem) {
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	if a, ok := h.account(w, r); ok {
		writeJSON(w, status, accountDocument{formatVersion, a})
	}
}
