package table

import (
	"errors"
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/attach"
	"adsync/sources/bounded"
	"adsync/sources/celltext"
)

// A picture of a workbook is the image of the row whose Image cell its upper
// left corner lies on, or that it is placed in. Where nothing says so exactly,
// it is nobody's.

// storedPicture turns a picture into the hash of its bytes, each part once.
func (r *bookReader) storedPicture(p xlsx.Picture) attach.Picture {
	if finding := notAsShown(p); finding != nil {
		return attach.Picture{Finding: finding}
	}
	known, read := r.stored[p.Part]
	if !read {
		known = r.readStored(p.Part)
		if r.stored == nil {
			r.stored = map[string]attach.Picture{}
		}
		r.stored[p.Part] = known
	}
	return known
}

const inWorkbook = "picture in the workbook"

// refusedFor returns why the service would not take a picture for an attribute, and what
// to do about it.
func refusedFor(a *resource.Attribute, p attach.Picture) *resource.Finding {
	finding := p.RefusedFor(a, inWorkbook)
	if finding == nil || finding.Code != diag.BadFile || finding.Hint != "" {
		return finding
	}
	hinted := *finding
	hinted.Hint = fmt.Sprintf("save the picture as PNG or JPEG, at least %d by %d pixels, and paste that",
		a.Side, a.Side)
	return &hinted
}

func (r *bookReader) readStored(part string) attach.Picture {
	content, err := r.Book.Media(part, r.In.Bounds.AttachedBytes)
	if err != nil {
		if errors.Is(err, xlsx.ErrLarge) {
			tooLarge := bounded.Limit("save the picture smaller, and paste that",
				resource.EnoughMiB("attached", 2*r.In.Bounds.AttachedBytes),
				"picture is over %s; want a smaller one", xlsx.Size(r.In.Bounds.AttachedBytes))
			return attach.Picture{Finding: &tooLarge}
		}
		return attach.Picture{
			Finding: &resource.Finding{
				Code: diag.Damaged, Message: fmt.Sprintf("picture cannot be read: %v; want one that is whole", err),
			},
		}
	}
	return attach.PictureOf(inWorkbook, content, attach.InWorkbook(r.File, part))
}

// notAsShown refuses a picture whose stored bytes are not what people see: they
// would be uploaded.
func notAsShown(p xlsx.Picture) *resource.Finding {
	said, odd := shownOtherwise[p.Showing]
	if !odd {
		return nil
	}
	return &resource.Finding{Code: diag.BadFile, Message: "picture " + said.is + "; want " + said.want, Hint: said.hint}
}

var shownOtherwise = map[xlsx.Showing]struct{ is, want, hint string }{
	xlsx.Cropped: {"is cropped in the workbook", "the part to show as a picture " +
		"of its own, because the whole one would be uploaded", "crop it in a picture program and paste the result"},
	xlsx.Turned: {"is turned or mirrored in the workbook", "it stored the way it " +
		"is to be shown, because it would be uploaded unturned", "turn it in a picture program and paste the result"},
	xlsx.Effects: {"has effects in the workbook, such as other colours or transparency", "it stored the way it " +
		"is to be shown, because it would be uploaded without them", "save the picture as it is shown, and paste that"},
	xlsx.InShape: {"is part of a group or a shape",
		"a picture of its own", "ungroup it, or insert the picture itself"},
	xlsx.IsLinked: {"is linked from outside the workbook, and nothing is fetched",
		"the picture itself, or its address as text", "insert the picture without a link"},
	xlsx.IsVector: {"is an SVG drawing", "a JPEG, PNG or WebP picture",
		"save it as PNG, at least 640 by 640 pixels, and paste that"},
	xlsx.IsHidden: {"is hidden", "it shown, or deleted", "the selection pane of the program lists hidden pictures"},
}

// pictureInCell reads a cell that holds a picture, or a function that shows
// one; false where it holds neither.
func (r *bookReader) pictureInCell(c xlsx.Cell) (picture attach.Picture, placed bool) {
	if r.Book == nil {
		return attach.Picture{}, false
	}
	if name := wpsName(c); name != "" {
		return r.namedPicture(name), true
	}
	if c.Meta == 0 || c.IsFormula {
		return attach.Picture{}, false
	}
	p, placed, err := r.Book.PictureIn(c)
	switch {
	case err != nil:
		return attach.Picture{
			Finding: xlsx.Damaged("picture in the cell cannot be found (%v); want it placed again", err),
		}, true
	case !placed:
		return attach.Picture{}, false
	}
	return r.storedPicture(p), true
}

// readImageCell takes the picture placed in a cell; false where the cell is to
// be read like any other.
func (r *draftReader) readImageCell(d *rowDraft, a *resource.Attribute, position diag.Position, c xlsx.Cell) bool {
	p, placed := r.pictureInCell(c)
	if !placed {
		d.ImageLink = linkedAddress(c.Formula)
		return false
	}
	r.setPicture(d, a, position, p)
	return true
}

// setPicture gives a row the picture that is placed in its cell, or lies on it.
func (r *head) setPicture(d *rowDraft, a *resource.Attribute, position diag.Position, p attach.Picture) {
	if finding := refusedFor(a, p); finding != nil {
		r.reject(&d.Draft, a, position, finding)
		return
	}
	d.Attributes.Set(a.Name, p.Value.At(position))
}

// wpsFormula is how WPS writes a picture in a cell; other programs that saved
// the workbook since keep it as a formula or as the text.
var wpsFormula = pattern.Of(`^=?(?:_xlfn\.)?DISPIMG\(\s*"([^"]+)"`)

func wpsName(c xlsx.Cell) string {
	for _, text := range []string{c.Formula, c.Text} {
		if m := wpsFormula.FindStringSubmatch(text); m != nil && (c.IsFormula || c.Form == xlsx.TextCell) {
			return m[1]
		}
	}
	return ""
}

func (r *bookReader) namedPicture(name string) attach.Picture {
	p, known, err := r.Book.PictureNamed(name)
	switch {
	case err != nil:
		return attach.Picture{
			Finding: xlsx.Damaged("picture in the cell cannot be found (%v); want it placed again", err),
		}
	case !known:
		return attach.Picture{Finding: &resource.Finding{
			Code: diag.BadFile, Message: "cell shows a " +
				"picture of WPS that the workbook does not hold any more; want the picture",
			Hint: "other programs drop such pictures " +
				"when they save; place it again, or write the name of a picture file",
		}}
	}
	return r.storedPicture(p)
}

// imageFormula is =IMAGE("https://…"), as programs store it.
var imageFormula = pattern.Of(`^(?:_xlfn\.)?IMAGE\(\s*"(https?://[^"]+)"`)

// imageCall is the same function with an address that has to be computed.
var imageCall = pattern.Of(`^(?:_xlfn\.)?IMAGE\(`)

// shownAddress returns the address an IMAGE formula shows; false where the cell
// has no such formula.
func shownAddress(c xlsx.Cell) (string, *resource.Finding, bool) {
	if m := imageFormula.FindStringSubmatch(c.Formula); m != nil {
		return m[1], nil, true
	}
	if imageCall.MatchString(c.Formula) {
		return "", celltext.RefusedFormula("the address"), true
	}
	return "", nil, false
}

// linkFormula is =HYPERLINK("https://…","text").
var linkFormula = pattern.Of(`^HYPERLINK\(\s*"(https?://[^"]+)"`)

func linkedAddress(formula string) string {
	if m := linkFormula.FindStringSubmatch(formula); m != nil {
		return m[1]
	}
	return ""
}
