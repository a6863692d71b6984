package ads

import (
	"adsync/internal/daemon"
)

const formatVersion = 1

// Document is what programs get.
type Document struct {
	FormatVersion int      `json:"format_version"`
	Since         string   `json:"since"`
	Until         string   `json:"until"`
	Currency      string   `json:"currency"`
	Brand         string   `json:"brand,omitempty"` // of who advertises, as the service has it
	Icon          string   `json:"icon,omitempty"`  // its path
	Preliminary   bool     `json:"preliminary"`
	Gaps          []string `json:"gaps"`
	Total         int      `json:"total"` // ads that are asked for
	More          bool     `json:"more"`  // there is another page
	Ads           []Ad     `json:"ads"`
}

// Ad is how an ad looks, where it stands and what it did; what is not known is absent.
type Ad struct {
	ID      string            `json:"id"`
	Name    string            `json:"name,omitempty"`
	Above   []string          `json:"in,omitempty"`
	Status  string            `json:"status,omitempty"`
	Review  string            `json:"review,omitempty"`
	Why     string            `json:"why,omitempty"`
	Do      string            `json:"do,omitempty"`
	Title   string            `json:"title,omitempty"`
	Body    string            `json:"body,omitempty"`
	Target  string            `json:"target_url,omitempty"`
	Price   string            `json:"price,omitempty"`
	Crop    string            `json:"image_crop,omitempty"`
	Picture string            `json:"picture,omitempty"`      // its path
	Left    string            `json:"picture_left,omitempty"` // why there is none
	Cell    string            `json:"cell,omitempty"`
	Figures map[string]string `json:"figures"`
}

// Document is the same for programs, with more on a page. path is that of the account.
func (f *Found) Document(path string) Document {
	d := Document{FormatVersion: formatVersion, Since: f.days.From, Until: f.days.To, Currency: f.days.Currency,
		Brand: f.days.Brand, Icon: f.iconAt(path),
		Preliminary: f.days.Preliminary, Gaps: f.gaps, Total: len(f.ads), Ads: []Ad{}}
	if d.Gaps == nil {
		d.Gaps = []string{}
	}
	from := min((f.asked.Page-1)*documentMost, len(f.ads))
	to := min(from+documentMost, len(f.ads))
	d.More = to < len(f.ads)
	for i := range f.ads[from:to] {
		a := &f.ads[from+i]
		s := &a.Setting
		one := Ad{ID: a.ID, Name: a.Name, Status: s.Status, Review: s.Review, Why: s.Why, Do: s.Do, Cell: a.Cell,
			Figures: map[string]string{}}
		for _, up := range a.Above {
			one.Above = append(one.Above, up.Name)
		}
		for _, m := range metrics {
			if text := f.of(a, m); text != "" {
				one.Figures[m] = text
			}
		}
		if s.Look != nil {
			one.look(f, s.Look, path)
		}
		d.Ads = append(d.Ads, one)
	}
	return d
}

func (a *Ad) look(f *Found, l *daemon.Look, path string) {
	a.Title, a.Body, a.Target, a.Price, a.Crop = l.Title, l.Body, l.Target, l.Price, l.Crop
	a.Picture, a.Left = f.picture(l, path)
}
