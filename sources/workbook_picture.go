package sources

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// A picture of a workbook is the image of the row whose Image cell its upper
// left corner lies on, or that it is placed in. Where nothing says so exactly,
// it is nobody's.

// storedPicture turns a picture into the hash of its bytes, each part once.
func (r *bookReader) storedPicture(p xlsx.Picture) (resource.Value, *resource.Finding) {
	if finding := notAsShown(p); finding != nil {
		return resource.Value{}, finding
	}
	known, read := r.stored[p.Part]
	if !read {
		known = r.readStored(p.Part)
		if r.stored == nil {
			r.stored = map[string]picture{}
		}
		r.stored[p.Part] = known
	}
	return known.value, known.finding
}

func (r *bookReader) readStored(part string) picture {
	content, err := r.book.Media(part, r.in.bounds.attachedBytes)
	if err != nil {
		return picture{finding: &resource.Finding{Code: diag.Damaged, Message: fmt.Sprintf("picture cannot be read: %v; want one of at most %d MiB that is whole", err, r.in.bounds.attachedBytes/mebibyte)}}
	}
	if finding := badImage("picture in the workbook", content); finding != nil {
		finding.Hint = "save the picture as PNG or JPEG, at least 640 by 640 pixels, and paste that"
		return picture{finding: finding}
	}
	return pictureOf(content, inWorkbook(r.file, part))
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
	xlsx.Cropped:  {"is cropped in the workbook", "the part to show as a picture of its own, because the whole one would be uploaded", "crop it in a picture program and paste the result"},
	xlsx.Turned:   {"is turned or mirrored in the workbook", "it stored the way it is to be shown, because it would be uploaded unturned", "turn it in a picture program and paste the result"},
	xlsx.Effects:  {"has effects in the workbook, such as other colours or transparency", "it stored the way it is to be shown, because it would be uploaded without them", "save the picture as it is shown, and paste that"},
	xlsx.InShape:  {"is part of a group or a shape", "a picture of its own", "ungroup it, or insert the picture itself"},
	xlsx.IsLinked: {"is linked from outside the workbook, and nothing is fetched", "the picture itself, or its address as text", "insert the picture without a link"},
	xlsx.IsVector: {"is an SVG drawing", "a JPEG, PNG or WebP picture", "save it as PNG, at least 640 by 640 pixels, and paste that"},
	xlsx.IsHidden: {"is hidden", "it shown, or deleted", "the selection pane of the program lists hidden pictures"},
}

// pictureInCell reads a cell that holds a picture, or a function that shows
// one; false where it holds neither.
func (r *bookReader) pictureInCell(c xlsx.Cell) (resource.Value, *resource.Finding, bool) {
	if r.book == nil {
		return resource.Value{}, nil, false
	}
	if name := wpsName(c); name != "" {
		v, finding := r.namedPicture(name)
		return v, finding, true
	}
	if c.Meta == 0 || c.IsFormula {
		return resource.Value{}, nil, false
	}
	p, placed, err := r.book.PictureIn(c)
	switch {
	case err != nil:
		return resource.Value{}, xlsx.Damaged("picture in the cell cannot be found (%v); want it placed again", err), true
	case !placed:
		return resource.Value{}, nil, false
	}
	v, finding := r.storedPicture(p)
	return v, finding, true
}

// readImageCell takes the picture placed in a cell; false where the cell is to
// be read like any other.
func (r *tabReader) readImageCell(d *rowDraft, a *resource.Attribute, position diag.Position, c xlsx.Cell) bool {
	v, finding, placed := r.pictureInCell(c)
	switch {
	case !placed:
		d.imageLink = linkedAddress(c.Formula)
		return false
	case finding != nil:
		r.reject(&d.draft, a, position, finding)
	default:
		d.attributes.Set(a.Name, v.At(position))
	}
	return true
}

// wpsFormula is how WPS writes a picture in a cell; other programs that saved
// the workbook since keep it as a formula or as the text.
var wpsFormula = regexp.MustCompile(`^=?(?:_xlfn\.)?DISPIMG\(\s*"([^"]+)"`)

func wpsName(c xlsx.Cell) string {
	for _, text := range []string{c.Formula, c.Text} {
		if m := wpsFormula.FindStringSubmatch(text); m != nil && (c.IsFormula || c.Form == xlsx.TextCell) {
			return m[1]
		}
	}
	return ""
}

func (r *bookReader) namedPicture(name string) (resource.Value, *resource.Finding) {
	p, known, err := r.book.PictureNamed(name)
	switch {
	case err != nil:
		return resource.Value{}, xlsx.Damaged("picture in the cell cannot be found (%v); want it placed again", err)
	case !known:
		return resource.Value{}, &resource.Finding{
			Code: diag.BadFile, Message: "cell shows a picture of WPS that the workbook does not hold any more; want the picture",
			Hint: "other programs drop such pictures when they save; place it again, or write the name of a picture file",
		}
	}
	return r.storedPicture(p)
}

// sheetPictures are the pictures of a sheet with an image column.
type sheetPictures struct {
	column    int // the image column, 0 where there is none
	attribute *resource.Attribute
	corners   map[int][]xlsx.Picture // by row: those with their corner on the image column
	others    []xlsx.Picture
	links     map[int]string // by row: the address the image cell links to
	without   []int          // rows that were read and say no image, ascending
	covered   []int          // rows whose text decides although a picture lies on it
}

func (r *tabReader) openPictures() error {
	s := &r.pictures
	s.column = r.header.columnOf(func(c *column) bool { return c.role == roleAttribute && c.attribute.Type == resource.TypeImage })
	if s.column == 0 {
		return nil
	}
	s.attribute = r.header.column(s.column).attribute
	found, err := r.book.PicturesOn(r.ref.Part, r.facts.Drawing)
	if err != nil {
		return err
	}
	s.corners = map[int][]xlsx.Picture{}
	for _, p := range found {
		if row := p.Area.FromRow; p.Area.FromColumn == s.column {
			s.corners[row] = append(s.corners[row], p)
		} else {
			s.others = append(s.others, p)
		}
	}
	s.links, err = r.book.Links(r.ref.Part, r.facts, s.column)
	return err
}

// readPictures takes the picture on a row's image cell for its image.
func (r *tabReader) readPictures(d *rowDraft, row int) {
	s := &r.pictures
	if s.column == 0 {
		return
	}
	name, here := s.attribute.Name, s.corners[row]
	d.imageLink = cmp.Or(s.links[row], d.imageLink)
	decided := !d.attributes.Value(name).IsAbsent() || slices.Contains(d.rejected, name)
	switch {
	case decided && len(here) > 0:
		s.covered = append(s.covered, row)
	case decided:
	case len(here) == 0:
		s.without = append(s.without, row)
	case len(here) > 1:
		r.reject(&d.draft, s.attribute, r.at(row, s.column), &resource.Finding{
			Code: diag.Conflicting, Message: fmt.Sprintf("%d pictures have their upper left corner in this cell; want one", len(here)),
			Hint: "move or delete the others; they may lie under each other",
		})
	default:
		r.takePicture(d, row, here[0])
	}
	delete(s.corners, row)
}

func (r *tabReader) takePicture(d *rowDraft, row int, p xlsx.Picture) {
	position := r.at(row, r.pictures.column)
	v, finding := r.storedPicture(p)
	if finding != nil {
		r.reject(&d.draft, r.pictures.attribute, position, finding)
		return
	}
	d.attributes.Set(r.pictures.attribute.Name, v.At(position))
}

// reportPictures says, after the last row, what became of the pictures that are
// nobody's image, where somebody may have meant one.
func (r *tabReader) reportPictures() {
	s := &r.pictures
	if s.column == 0 {
		return
	}
	r.reportCovered()
	for _, left := range s.corners { // of rows that were not read
		s.others = append(s.others, left...)
	}
	slices.SortStableFunc(s.others, func(a, b xlsx.Picture) int {
		return cmp.Or(a.Area.FromRow-b.Area.FromRow, a.Area.FromColumn-b.Area.FromColumn)
	})
	told := map[int]bool{}
	floating := false
	for _, p := range s.others {
		if p.Area == (xlsx.Area{}) {
			floating = true
			continue
		}
		if row := r.overlapped(p.Area); row > 0 && !told[row] {
			told[row] = true
			r.report(r.at(row, s.column), resource.Finding{
				Code: diag.StrayPicture, Severity: diag.Warning,
				Message: fmt.Sprintf("a picture lies over this cell, but its upper left corner is in %s%d, so that it is not used; want the corner in this cell", diag.ColumnName(p.Area.FromColumn), p.Area.FromRow),
				Hint:    "move the picture a little to the right or down, or place it in the cell",
			})
		}
	}
	if floating && len(s.without) > 0 {
		r.report(r.at(s.without[0], s.column), resource.Finding{
			Code: diag.StrayPicture, Message: "the sheet has a picture that is bound to no cell, and this row has no image; want each picture bound to its cell",
			Hint: "set the picture to move with cells, or place it in the cell",
		})
	}
}

// overlapped is the first row without an image whose image cell a picture
// covers; one whose size is not given in cells covers those next to its corner.
func (r *tabReader) overlapped(a xlsx.Area) int {
	if a.ToRow == a.FromRow && a.ToColumn == a.FromColumn {
		a.ToRow, a.ToColumn = a.ToRow+1, a.ToColumn+1
	}
	column := r.pictures.column
	i, _ := slices.BinarySearch(r.pictures.without, a.FromRow)
	if i < len(r.pictures.without) && a.Has(r.pictures.without[i], column) {
		return r.pictures.without[i]
	}
	return 0
}

func (r *tabReader) reportCovered() {
	s := &r.pictures
	if len(s.covered) == 0 {
		return
	}
	var cells []string
	for _, row := range s.covered[:min(len(s.covered), 3)] {
		cells = append(cells, fmt.Sprintf("%s%d", diag.ColumnName(s.column), row))
	}
	if len(s.covered) > len(cells) {
		cells = append(cells, "and others")
	}
	r.report(r.at(s.covered[0], s.column), resource.Finding{
		Code: diag.StrayPicture, Severity: diag.Warning,
		Message: fmt.Sprintf("%s over an image that is written in the cell (%s); the text is used", counted(len(s.covered), "picture lies", "pictures lie"), strings.Join(cells, ", ")),
		Hint:    "empty the cell if the picture is meant",
	})
}

// imageFormula is =IMAGE("https://…"), as programs store it.
var imageFormula = regexp.MustCompile(`^(?:_xlfn\.)?IMAGE\(\s*"(https?://[^"]+)"`)

// imageCall is the same function with an address that has to be computed.
var imageCall = regexp.MustCompile(`^(?:_xlfn\.)?IMAGE\(`)

// shownAddress gives the address an IMAGE formula shows; false where the cell
// has no such formula.
func shownAddress(c xlsx.Cell) (string, *resource.Finding, bool) {
	if m := imageFormula.FindStringSubmatch(c.Formula); m != nil {
		return m[1], nil, true
	}
	if imageCall.MatchString(c.Formula) {
		return "", refusedFormula("the address"), true
	}
	return "", nil, false
}

// linkFormula is =HYPERLINK("https://…","text").
var linkFormula = regexp.MustCompile(`^HYPERLINK\(\s*"(https?://[^"]+)"`)

func linkedAddress(formula string) string {
	if m := linkFormula.FindStringSubmatch(formula); m != nil {
		return m[1]
	}
	return ""
}
