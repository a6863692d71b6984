package planview

import (
	"strings"

	"adsync/internal/review"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

// reviewsShown is how many ads a form for people names.
const reviewsShown = 10

// reviewed is an ad that was rejected or limited, as people read it.
type reviewed struct {
	state, ad, address, why, do string
	rejected                    bool
}

// unnamedCommand lists the ads that are not named.
const unnamedCommand = ": adsync status -o json"

// reviews says which ads the service has not approved.
func (p *page) reviews(d *Document) {
	if d.Review == nil {
		return
	}
	p.review = ReviewCounts(d.Review)
	for _, l := range d.Review.Ads {
		if l.State != review.Rejected && l.State != review.Limited {
			continue
		}
		if len(p.reviewed) < reviewsShown {
			p.reviewed = append(p.reviewed,
				reviewed{l.State.Words(), l.Called(), l.Address, p.says.why(l), l.Do, l.State == review.Rejected})
		}
	}
	if more := d.Review.Rejected + d.Review.Limited - len(p.reviewed); more > 0 {
		p.unnamed = catalogue.Say("reviewed.more", "n", Thousands(more)) + unnamedCommand
	}
}

// ReviewCounts returns how many ads are not approved, by where they stand; "" where all are.
func ReviewCounts(s *review.Summary) string {
	if s == nil {
		return ""
	}
	var counts []string
	for _, c := range []count{{"rejected", s.Rejected}, {"limited", s.Limited}, {"in-review", s.InReview}} {
		switch {
		case c.n > 0 && len(counts) == 0: // it has the noun
			counts = append(counts, catalogue.Say("reviewed.first-"+c.what, "n", Thousands(c.n)))
		case c.n > 0:
			counts = append(counts, catalogue.Say("reviewed."+c.what, "n", Thousands(c.n)))
		}
	}
	return words.Commas(counts)
}

func reviewTitle() string { return catalogue.Say("reviewed.begins") }

// reviews writes which ads the service has not approved: ! for those that are not shown
// at all.
func (t *printer) reviews(p *page) {
	if p.review == "" {
		return
	}
	t.put(yellow, 0, 2, reviewTitle()+" "+p.review+".")
	for _, r := range p.reviewed {
		symbol := "?"
		if r.rejected {
			symbol = "!"
		}
		t.mark(symbol, plain, 0, r.ad+" ("+r.address+") is "+r.state+": "+r.why)
		if r.do != "" {
			t.put(plain, 4, 2, "to do: "+r.do)
		}
	}
	if p.unnamed != "" {
		t.put(plain, 2, 2, p.unnamed)
	}
	t.line("")
}

// reviews writes which ads the service has not approved.
func (m *comment) reviews(p *page) {
	if p.review == "" {
		return
	}
	m.line("**%s** %s", reviewTitle(), p.review)
	if len(p.reviewed) > 0 {
		m.line("")
	}
	for i, r := range p.reviewed {
		text := "- " + Code(r.ad) + " (" + Code(r.address) + ") is " + r.state + ": " + Code(r.why)
		if r.do != "" {
			text += "\n  - " + Code(r.do)
		}
		if !m.fits(text, heldSize) {
			m.cut(len(p.reviewed)-i, "ad that is not approved", "ads that are not approved")
			break
		}
		m.line("%s", text)
	}
	if p.unnamed != "" {
		m.line("\n%s", p.unnamed)
	}
	m.line("")
}

// htmlReviewed is an ad the service has not approved.
type htmlReviewed struct {
	State, Ad, Why, Do string
	Rejected           bool
}

func (h *htmlPage) reviews(p *page) {
	h.ReviewTitle, h.Review, h.ReviewsLeft = reviewTitle(), p.review, p.unnamed
	for _, r := range p.reviewed {
		h.Reviewed = append(h.Reviewed, htmlReviewed{r.state, r.ad, r.why, r.do, r.rejected})
	}
}

// upper begins a sentence.
func upper(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
