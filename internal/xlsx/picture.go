package xlsx

import (
	"fmt"
	"slices"
	"strings"
)

// shape reads the shape just opened, to its end; nil where it shows no picture.
// Whatever is not one plain picture is told from it by Showing: what is stored
// would not be what people see.
func (d *drawingReader) shape(element string) (*Picture, error) {
	var p Picture
	blips := 0
	for depth := len(d.open); len(d.open) >= depth; {
		kind, err := d.next()
		if err != nil {
			return nil, err
		}
		if kind != xmlOpen {
			continue
		}
		switch string(d.name) {
		case "blip":
			blips++
			err = d.blip(&p)
		case "Fallback":
			err = d.skipElement()
		default:
			err = d.alteration(&p)
		}
		if err != nil {
			return nil, err
		}
	}
	if blips == 0 && element != "pic" {
		return nil, nil
	}
	if element != "pic" || blips > 1 {
		p.show(InShape)
	}
	return &p, nil
}

// show keeps the first way found, and never one over a picture that has it.
func (p *Picture) show(s Showing) {
	if p.Showing == AsStored {
		p.Showing = s
	}
}

// blip reads the reference to a picture's bytes and what is done to its colours.
func (d *drawingReader) blip(p *Picture) error {
	embed, err := d.attrText("embed")
	if err != nil {
		return err
	}
	link, err := d.attrText("link")
	if err != nil {
		return err
	}
	if link != "" {
		p.show(IsLinked)
	}
	if p.Part, err = d.imagePart(embed); err != nil {
		return err
	}
	if p.Part == "" {
		p.show(IsLinked)
	}
	for depth := len(d.open); len(d.open) >= depth; {
		kind, err := d.next()
		if err != nil {
			return err
		}
		if kind != xmlOpen {
			continue
		}
		switch name := string(d.name); {
		case name == "svgBlip":
			p.show(IsVector)
		case name == "imgEffect", slices.Contains(blipEffects, name) && !d.isNothing(name):
			p.show(Effects)
		}
	}
	return nil
}

// blipEffects change how a picture looks (ECMA-376 part 1, 20.1.8.13).
var blipEffects = []string{
	"alphaBiLevel", "alphaCeiling", "alphaFloor", "alphaInv", "alphaMod", "alphaModFix", "alphaRepl",
	"biLevel", "blur", "clrChange", "clrRepl", "duotone", "fillOverlay", "grayscl", "hsl", "lum", "tint",
}

// isNothing reports whether an effect is written and changes nothing.
func (d *drawingReader) isNothing(name string) bool {
	switch name {
	case "lum":
		return d.noneOf("bright", "contrast")
	case "alphaModFix":
		amount := string(d.attr("amt"))
		return amount == "" || amount == "100000" || amount == "100%"
	}
	return false
}

// noneOf reports whether attributes are missing or zero.
func (d *drawingReader) noneOf(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		value := string(d.attr(name))
		return value != "" && value != "0" && value != "0%"
	})
}

// alteration takes note of an element that changes what is seen of a picture.
func (d *drawingReader) alteration(p *Picture) error {
	switch string(d.name) {
	case "cNvPr":
		if isTrue(d.attr("hidden")) {
			p.show(IsHidden)
		}
		var err error
		d.title, err = d.attrText("name")
		return err
	case "srcRect", "fillRect":
		if !d.noneOf("l", "t", "r", "b") {
			p.show(Cropped)
		}
	case "tile", "custGeom":
		p.show(Cropped)
	case "prstGeom":
		if string(d.attr("prst")) != "rect" {
			p.show(Cropped)
		}
	case "xfrm":
		if !d.noneOf("rot") || isTrue(d.attr("flipH")) || isTrue(d.attr("flipV")) {
			p.show(Turned)
		}
	case "camera":
		if prst := string(d.attr("prst")); prst != "" && prst != "orthographicFront" {
			p.show(Turned)
		}
	case "rot":
		// A light has a direction too, and turns nothing.
		if string(localName(d.open[len(d.open)-2])) == "camera" && !d.noneOf("lat", "lon", "rev") {
			p.show(Turned)
		}
	}
	return nil
}

// imagePart returns the part behind a reference to a picture, "" where it is none
// or outside the workbook: nothing is ever fetched.
func (d *drawingReader) imagePart(id string) (string, error) {
	if id == "" {
		return "", nil
	}
	r, known := d.rels[id]
	switch {
	case !known:
		return "", fmt.Errorf("a picture refers to %q, which is not there", id)
	case r.external || !strings.HasSuffix(r.typ, "/image"):
		return "", nil
	}
	return r.target, nil
}

// PictureNamed returns a picture that WPS keeps for a cell, by the name the
// cell's formula DISPIMG says; false where the workbook has none of it.
func (b *Book) PictureNamed(name string) (Picture, bool, error) {
	if b.named == nil {
		named, err := b.readNamed()
		if err != nil {
			return Picture{}, false, fmt.Errorf("pictures in cells: %w", err)
		}
		b.named = named
	}
	p, ok := b.named[name]
	return p, ok, nil
}

// readNamed reads the list of pictures in cells. Two of one name are an error:
// nothing says which of them is meant.
func (b *Book) readNamed() (map[string]Picture, error) {
	named := map[string]Picture{}
	part := b.rels.byType("/cellImage")
	if part == "" {
		return named, nil
	}
	d, err := b.openDrawing(part)
	if err != nil {
		return nil, err
	}
	for {
		kind, err := d.next()
		if err != nil || kind == xmlEnd {
			return named, err
		}
		if kind != xmlOpen || string(d.name) != "pic" {
			continue
		}
		d.title = ""
		p, err := d.shape("pic")
		if err != nil {
			return nil, err
		}
		if _, twice := named[d.title]; twice {
			return nil, fmt.Errorf("two have the name %q", d.title)
		}
		named[d.title] = *p
	}
}
