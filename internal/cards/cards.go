// Package cards draws ads as the service shows them: the picture, the title, the body and
// the host of the page on a card of 390 by 220 pixels. It is a page that needs no network
// and loads nothing, and each card says that adsync drew it: the service may show an ad
// otherwise. Everything an ad says is escaped.
package cards

import (
	"crypto/sha256"
	_ "embed" // the page and its look
	"encoding/base64"
	"html/template"
	"io"
	"net/url"
	"strings"

	"adsync/internal/diag"
)

// Card is an ad as the files have it, and where the service shows the live one.
type Card struct {
	Address  string
	Title    string // at most 50 characters are shown (interface, part 2)
	Body     string // at most 100
	Target   string // address of the page; its host is shown
	Type     string // media type of the picture
	Picture  []byte // nil where it is left out
	Left     string // why the picture is left out
	Live     string // address of the service's preview, "" where there is none
	LiveEnds string // when that address ends, for people
}

// Bounds of what the card shows (interface, part 2).
const (
	mostTitle = 50
	mostBody  = 100
)

var (
	//go:embed html/cards.html
	page string
	//go:embed html/cards.css
	style string

	drawing = template.Must(template.New("cards").Parse(page))
)

type drawn struct {
	Address, Title, Body, Host, Left, LiveEnds string
	Cut                                        bool
	Picture                                    template.URL
	Live                                       string
}

// WriteHTML writes the cards as one page.
func WriteHTML(w io.Writer, all []Card) error {
	sum := sha256.Sum256([]byte(style))
	view := struct {
		Policy template.HTMLAttr
		Style  template.CSS
		Cards  []drawn
	}{Style: template.CSS(style),
		Policy: template.HTMLAttr(`content="default-src 'none'; img-src data:; style-src 'sha256-` +
			base64.StdEncoding.EncodeToString(sum[:]) + `'; base-uri 'none'; form-action 'none'"`)}
	for i := range all {
		view.Cards = append(view.Cards, draw(&all[i]))
	}
	return drawing.Execute(w, view)
}

func draw(c *Card) drawn {
	d := drawn{Address: diag.Printable(c.Address), Left: diag.Printable(c.Left), LiveEnds: c.LiveEnds, Live: c.Live}
	var cutTitle, cutBody bool
	d.Title, cutTitle = cut(c.Title, mostTitle)
	d.Body, cutBody = cut(c.Body, mostBody)
	d.Cut = cutTitle || cutBody
	if u, err := url.Parse(c.Target); err == nil {
		d.Host = diag.Printable(strings.TrimPrefix(u.Hostname(), "www."))
	}
	if c.Picture != nil {
		d.Picture = template.URL("data:" + c.Type + ";base64," + base64.StdEncoding.EncodeToString(c.Picture))
	}
	return d
}

// cut returns as much of a text as the service takes.
func cut(text string, most int) (string, bool) {
	runes := []rune(text)
	if len(runes) <= most {
		return diag.Printable(text), false
	}
	return diag.Printable(string(runes[:most-1])) + "…", true
}
