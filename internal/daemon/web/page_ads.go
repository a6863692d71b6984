package web

import (
	"context"
	"net/http"

	"adsync/internal/cards"
	"adsync/internal/daemon"
	"adsync/internal/daemon/web/ads"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"
)

// picturesAtOnce is how many pictures are read side by side: each may have 20 MiB, or stand in a workbook.
const picturesAtOnce = 2

// gallery shows how ads look, with the pictures that the files have.
type gallery struct {
	*replies
	reading chan struct{}
}

func (h *gallery) routes() []route {
	return []route{
		{"GET", "/accounts/{account}/ads", viewers, h.showAds},
		{"GET", "/api/v1/accounts/{account}/ads", viewers, h.getAds},
		{"GET", "/api/v1/accounts/{account}/pictures/{sum}", viewers, h.getPicture},
		{"GET", "/api/v1/accounts/{account}/icons/{sum}", viewers, h.getIcon},
	}
}

func (h *gallery) showAds(w http.ResponseWriter, r *http.Request) {
	a, f, ok := found(h.replies, w, r, ads.Find)
	if !ok {
		return
	}
	v, err := f.View(shown.Name(a.Name), accountPath(a.Name))
	if err != nil {
		h.refuse(w, r, h.problemOf(err))
		return
	}
	h.show(w, r, http.StatusOK, "ads", view{
		Title: catalogue.Say("ads.title-of", "name", v.Name), Account: a.Name, Of: v})
}

func (h *gallery) getAds(w http.ResponseWriter, r *http.Request) {
	if a, f, ok := found(h.replies, w, r, ads.Find); ok {
		writeJSON(w, http.StatusOK, f.Document(accountPath(a.Name)))
	}
}

// getPicture gives a picture of the files by the sum of its bytes, so that it never becomes another.
func (h *gallery) getPicture(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	select {
	case h.reading <- struct{}{}:
		defer func() { <-h.reading }()
	case <-r.Context().Done():
		return
	}
	content, err := h.desk.Picture(r.Context(), a.Name, "sha256:"+r.PathValue("sum"))
	kind := cards.MediaType(content)
	if err == nil && kind == "" {
		err = daemon.ErrNoFile
	}
	if err != nil {
		h.refuse(w, r, h.problemOf(err))
		return
	}
	show(w, kind, content)
}

// getIcon gives the icon of the brand, as it was drawn anew, by what names its bytes.
func (h *gallery) getIcon(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	archive, err := h.desk.Archive(r.Context(), a.Name)
	var picture []byte
	var sum string
	if err == nil {
		picture, sum, err = archive.Icons().Icon()
	}
	if err == nil && (picture == nil || sum != r.PathValue("sum")) {
		err = daemon.ErrNoFile
	}
	if err != nil {
		h.refuse(w, r, h.problemOf(err))
		return
	}
	show(w, "image/jpeg", picture)
}

// branded is a plan whose cards of ads have the brand and its icon, where one is kept: nothing is fetched for it. Where
// it cannot be read they go without, and the page of ads says so.
func (re *replies) branded(ctx context.Context, account string, p *planview.Document) *planview.Document {
	if p == nil || len(p.Drawn) == 0 {
		return p
	}
	archive, err := re.desk.Archive(ctx, account)
	if err != nil {
		return p
	}
	_, sum, err := archive.Icons().Icon()
	if err != nil || sum == "" {
		return p
	}
	index, err := archive.Figures().Index()
	if err != nil {
		return p
	}
	brand := func(c *cards.Card) *cards.Card {
		if c == nil {
			return nil
		}
		with := *c
		with.Brand, with.Icon = shown.Name(index.Brand), ads.IconPath(accountPath(account), sum)
		return &with
	}
	with := *p
	with.Drawn = map[string]planview.Drawn{}
	for address, drawn := range p.Drawn {
		with.Drawn[address] = planview.Drawn{Before: brand(drawn.Before), After: brand(drawn.After)}
	}
	return &with
}

// show answers with a picture that never becomes another.
func show(w http.ResponseWriter, kind string, picture []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "private, max-age=86400, immutable")
	_, _ = w.Write(picture) // who asked may be gone
}
