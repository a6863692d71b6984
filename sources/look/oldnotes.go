package look

import (
	"context"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/pattern"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
)

// OwnNote is a note of the user's.
type OwnNote struct {
	Cell, Author, Text string
}

// TakeNotes takes the notes of sheets out of a workbook, so that they can be
// written again with those of adsync: the library cannot add to notes that
// another program has written. Sheets whose notes cannot be told from other
// drawings, or are conversations, stay as they are, and are not in what it gives.
func TakeNotes(original []byte, sheets []string) (without []byte, notes map[string][]OwnNote, err error) {
	p, err := ReadParts(original)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), bounded.Defaults().PerFile)
	defer cancel()
	members, finding := xlsx.Open(ctx, original, bounded.Defaults().Workbook())
	if finding != nil {
		return nil, nil, fmt.Errorf("%s", finding.Message)
	}
	book, err := xlsx.ReadBook(members)
	if err != nil {
		return nil, nil, err
	}
	notes = map[string][]OwnNote{}
	for _, ref := range book.Sheets {
		if !slices.Contains(sheets, ref.Name) {
			continue
		}
		if own, free := p.takeSheetNotes(ref.Part); free {
			notes[ref.Name] = own
		}
	}
	p.giveWay()
	without, err = p.bytes()
	return without, notes, err
}

var legacyDrawing = pattern.Of(
	`<(?:\w+:)?legacyDrawing\s[^>]*?id="([^"]+)"[^>]*(?:/>|>\s*</(?:\w+:)?legacyDrawing>)`)

// takeSheetNotes reports whether notes can be written on the sheet, and gives those
// that were there.
func (p *bookParts) takeSheetNotes(sheet string) (own []OwnNote, free bool) {
	m := legacyDrawing.FindSubmatch(p.Content[sheet])
	if m == nil {
		return nil, true
	}
	folder := sheet[:strings.LastIndexByte(sheet, '/')+1]
	var drawing, notes relation
	for _, r := range relationsOf(p.Content[relationsName(sheet)]) {
		switch {
		case r.ID == string(m[1]):
			drawing = r
		case strings.HasSuffix(r.Type, "/comments"):
			notes = r
		case strings.HasSuffix(r.Type, "/threadedComment"):
			return nil, false
		}
	}
	drawn, written := resolve(folder, drawing.Target), resolve(folder, notes.Target)
	if notes.ID == "" || !onlyNotes(p.Content[drawn]) {
		return nil, false
	}
	own, err := notesOf(p.Content[written])
	if err != nil {
		return nil, false
	}
	p.Content[sheet] = legacyDrawing.ReplaceAll(p.Content[sheet], nil)
	for _, r := range []relation{drawing, notes} {
		p.drop(resolve(folder, r.Target))
		p.dropRelation(sheet, r.ID)
	}
	return own, true
}

var objectType = pattern.Of(`ObjectType="([^"]*)"`)

// onlyNotes reports whether a drawing holds notes and no buttons, pictures or the like.
func onlyNotes(drawing []byte) bool {
	types := objectType.FindAllSubmatch(drawing, -1)
	return len(types) > 0 && !slices.ContainsFunc(types, func(m [][]byte) bool { return string(m[1]) != "Note" })
}

func notesOf(content []byte) ([]OwnNote, error) {
	var root struct {
		Authors []string `xml:"authors>author"`
		Notes   []struct {
			Cell   string `xml:"ref,attr"`
			Author int    `xml:"authorId,attr"`
			Text   struct {
				Plain string   `xml:"t"`
				Runs  []string `xml:"r>t"`
			} `xml:"text"`
		} `xml:"commentList>comment"`
	}
	if err := xml.Unmarshal(content, &root); err != nil {
		return nil, err
	}
	var notes []OwnNote
	for _, n := range root.Notes {
		author := ""
		if n.Author >= 0 && n.Author < len(root.Authors) {
			author = root.Authors[n.Author]
		}
		notes = append(notes, OwnNote{n.Cell, author, n.Text.Plain + strings.Join(n.Text.Runs, "")})
	}
	return notes, nil
}

var libraryName = pattern.Of(`^xl/(comments|drawings/vmlDrawing)[0-9]*\.(xml|vml)$|^xl/comments/`)

// giveWay moves what is left of notes and their drawings from the names the
// library writes new ones under.
func (p *bookParts) giveWay() {
	renamed := map[string]string{}
	for i, name := range p.names {
		if libraryName.MatchString(name) {
			renamed[name] = fmt.Sprintf("xl/drawings/kept%d%s", i, name[strings.LastIndexByte(name, '.'):])
		}
	}
	if len(renamed) > 0 {
		p.rename(renamed)
	}
}
