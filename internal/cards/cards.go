// Package cards draws ads as the service shows them: the picture or the part of it, the title,
// the body, the price and the host of the page on a card of 390 by 220 pixels, on a page of
// their own or as parts of another, and their pictures small. They need no network and load
// nothing, and each card says that adsync drew it: the service may show an ad otherwise. Everything
// an ad says is escaped.
package cards

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its look
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"strings"
	"sync"

	"adsync/internal/diag"
	"adsync/internal/words/catalogue"
)

// Card is an ad as the files have it, and where the service shows the live one.
type Card struct {
	Address  string
	Title    string // at most 50 characters are shown (interface, part 2)
	Body     string // at most 100
	Price    string // at most 100; "" where there is none
	Brand    string // of who advertises; "" where it is not known
	Icon     string // path of the brand's icon on the server that shows the card; "" where there is none
	Target   string // address of the page; its host is shown
	Picture  []byte // PNG, JPEG or WebP; nil where it is left out, or at From
	From     string // path of the picture on the server that shows the card; "" where it is written into the page
	Left     string // why the picture is left out
	Crop     string // the square part of the picture that is shown, as a JSON object; "": the whole
	Live     string // address of the service's preview, "" where there is none
	LiveEnds string // when that address ends, for people
}

// Bounds of what the card shows (interface, part 2).
const (
	mostTitle = 50
	mostBody  = 100
	mostPrice = 100 // service facts, 4.2
)

var (
	//go:embed html/cards.html
	pageText string
	//go:embed html/cards.css
	pageStyle string
	//go:embed html/card.html
	cardText string
	//go:embed html/card.css
	cardStyle string

	drawing = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("card").Parse(cardText))
	})
)

// Style is the look of what HTML draws. A page that holds it lets images of data: in.
func Style() string { return cardStyle }

// HTML draws a card as a part of a page; says is what it is of, such as "now".
func (c *Card) HTML(says string) (template.HTML, error) {
	d := draw(c)
	d.Says = says
	var b strings.Builder
	err := drawing().Execute(&b, d)
	return template.HTML(b.String()), err
}

type drawn struct {
	Address, Says, Title, Body, Price, Host, Left, LiveEnds string
	Brand                                                   string
	Icon                                                    template.URL
	Drawn                                                   string // by whom, and what is left out of it
	Picture                                                 template.URL
	Part                                                    string // of the picture, in its sides; "": the whole
	Live                                                    string
}

// WriteHTML writes the cards as one page.
func WriteHTML(w io.Writer, all []Card) error {
	style := pageStyle + cardStyle
	sum := sha256.Sum256([]byte(style))
	view := struct {
		Policy template.HTMLAttr
		Style  template.CSS
		Cards  []drawn
	}{Style: template.CSS(style),
		Policy: template.HTMLAttr(`content="default-src 'none'; img-src data:; style-src 'sha256-` +
			base64.StdEncoding.EncodeToString(sum[:]) + `'; base-uri 'none'; form-action 'none'"`)}
	for i := range all {
		d := draw(&all[i])
		d.Says = d.Address
		view.Cards = append(view.Cards, d)
	}
	text, err := catalogue.Template(pageText)
	if err != nil {
		return err
	}
	page, err := template.New("cards").Parse(text)
	if err == nil {
		_, err = page.AddParseTree("card", template.Must(drawing().Clone()).Tree)
	}
	if err != nil {
		return err
	}
	return page.Execute(w, view)
}

func draw(c *Card) drawn {
	d := drawn{Address: diag.Printable(c.Address), Left: diag.Printable(c.Left), LiveEnds: c.LiveEnds,
		Live: c.Live, Brand: diag.Printable(c.Brand)}
	var cutTitle, cutBody, cutPrice bool
	d.Title, cutTitle = cut(c.Title, mostTitle)
	d.Body, cutBody = cut(c.Body, mostBody)
	d.Price, cutPrice = cut(c.Price, mostPrice)
	d.Drawn = catalogue.Say("card.drawn")
	if cutTitle || cutBody || cutPrice {
		d.Drawn = catalogue.Say("card.cut", "drawn", d.Drawn)
	}
	if u, err := url.Parse(c.Target); err == nil {
		d.Host = diag.Printable(strings.TrimPrefix(u.Hostname(), "www."))
	}
	if c.From != "" {
		d.Picture = template.URL(c.From)
	}
	d.Icon = template.URL(c.Icon)
	if media := MediaType(c.Picture); media != "" {
		d.Picture = template.URL("data:" + media + ";base64," + base64.StdEncoding.EncodeToString(c.Picture))
	}
	if part, is := partOf(c.Crop); is && d.Picture != "" {
		d.Part = part.String()
		d.Drawn = catalogue.Say("card.part", "drawn", d.Drawn)
	}
	if c.Picture != nil && d.Picture == "" {
		d.Left = catalogue.Say("card.no-picture")
	}
	return d
}

// part is a part of a picture, as fractions of its sides.
type part struct{ X, Y, Width, Height float64 }

// String returns the part as SVG has it of a picture with sides of 1.
func (p part) String() string { return fmt.Sprintf("%.5f %.5f %.5f %.5f", p.X, p.Y, p.Width, p.Height) }

// partOf returns the part of a picture that is shown; false where that is the whole, or no part of it.
func partOf(crop string) (p part, is bool) {
	if json.Unmarshal([]byte(crop), &p) != nil {
		return p, false
	}
	const whole = 1 + 1e-9 // with room for how fractions add up
	return p, p.X >= 0 && p.Y >= 0 && p.Width > 0 && p.Height > 0 && p.X+p.Width <= whole && p.Y+p.Height <= whole
}

// MediaType returns what a picture is by its first bytes, "" where an ad may not have it.
func MediaType(picture []byte) string {
	switch {
	case bytes.HasPrefix(picture, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(picture, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case len(picture) >= 12 && string(picture[:4]) == "RIFF" && string(picture[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// cut returns as much of a text as the service takes.
func cut(text string, most int) (string, bool) {
	runes := []rune(text)
	if len(runes) <= most {
		return diag.Printable(text), false
	}
	return diag.Printable(string(runes[:most-1])) + "…", true
}
