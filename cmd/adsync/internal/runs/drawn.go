package runs

import (
	"fmt"
	"net/url"
	"slices"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/cards"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/plan"
)

// mostPicture and mostPictures bound the bytes of one picture in a page of a plan, and of
// all of them.
const (
	mostPicture  = 2 << 20
	mostPictures = 8 << 20
)

// Draw has the page of a plan show the ads that are new or will look otherwise. It fetches
// nothing: a picture at an address of the internet is named.
func Draw(l session.Loaded, d *PlanDocument) {
	d.Drawn = map[string]planview.Drawn{}
	p := pictures{loaded: l, left: mostPictures}
	for i := range d.Changes {
		c := &d.Changes[i]
		address, _ := resource.ParseAddress(c.Address)
		if !HasPicture(l.Schemas, c.Kind) || c.Action != plan.Create && !looksOtherwise(c) {
			continue
		}
		var before, after resource.Attributes
		if written := l.Desired.Snapshot.Get(address); written != nil {
			before, after = slices.Clone(written.Attributes), slices.Clone(written.Attributes)
		}
		for k := range c.Fields {
			f := &c.Fields[k]
			overlay(&before, f.Name, f.Live)
			overlay(&after, f.Name, f.Desired)
		}
		drawn := planview.Drawn{After: p.card(c.Address, after)}
		if c.Action != plan.Create {
			drawn.Before = p.card(c.Address, before)
		}
		d.Drawn[c.Address] = drawn
	}
}

func overlay(a *resource.Attributes, name string, v *resource.Value) {
	if v != nil {
		a.Set(name, *v)
	}
}

// HasPicture reports whether the service shows a kind to people: it has a picture.
func HasPicture(schemas resource.Schemas, kind resource.Kind) bool {
	return slices.ContainsFunc(schemas.Of(kind).Attributes,
		func(a resource.Attribute) bool { return a.Type == resource.TypeImage && a.Wire.Purpose == "" })
}

// The attributes that a card shows.
const (
	title  = "title"
	body   = "body"
	target = "target_url"
	image  = "image"
	price  = "price"
	crop   = "image_crop"
)

// looksOtherwise reports whether a change is one of what a card shows.
func looksOtherwise(c *plan.ChangeDocument) bool {
	return slices.ContainsFunc(c.Fields, func(f plan.FieldDocument) bool {
		return f.Cause != plan.SentAlong && slices.Contains([]string{title, body, target, image, price, crop}, f.Name)
	})
}

// CardOf returns the card of an ad without its picture, and where that is from.
func CardOf(address string, ad resource.Attributes) (card cards.Card, picture string) {
	return cards.Card{Address: address, Title: ad.Value(title).Text(), Body: ad.Value(body).Text(),
		Target: ad.Value(target).Text(), Price: ad.Value(price).Text(),
		Crop: ad.Value(crop).Text()}, ad.Value(image).Text()
}

// pictures are those of the files, within bounds.
type pictures struct {
	loaded session.Loaded
	left   int // bytes there is room for
}

func (p *pictures) card(address string, ad resource.Attributes) *cards.Card {
	card, source := CardOf(address, ad)
	card.Picture, card.Left = p.picture(source)
	return &card
}

// picture returns a picture of the files, or why it is left out.
func (p *pictures) picture(source string) (content []byte, left string) {
	if u, err := url.Parse(source); err == nil && u.Host != "" {
		return nil, "picture left out: it is at " + u.Hostname() + "; adsync preview --out fetches it"
	}
	if p.loaded.Desired.Images[source] == "" {
		return nil, "picture left out: no file of the folder is the one that the service has"
	}
	where, content, err := p.loaded.Desired.ReadImage(p.loaded.Project, source)
	switch {
	case err != nil:
		return nil, "picture left out: " + err.Error()
	case len(content) > mostPicture:
		return nil, fmt.Sprintf("picture left out: %s is larger than the %d MB a page takes", where, mostPicture>>20)
	case len(content) > p.left:
		return nil, fmt.Sprintf("picture left out: %s, as the page has its %d MB of pictures", where, mostPictures>>20)
	}
	p.left -= len(content)
	return content, ""
}
