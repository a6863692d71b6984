package sources_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/table"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
)

// adRows is a sheet of ads; each image is the text of a row's Image cell, nil
// for a blank one. Image is column F, and the first row is row 2.
func adRows(images ...any) sheetOf {
	rows := [][]any{{"Campaign", "Ad group", "Title", "Body", "Target URL", "Image", "Key", "Mine"}}
	for i, image := range images {
		rows = append(rows, []any{"Spring", "Runners",
			fmt.Sprintf("Shoes %d", i+1), "Light.", "https://shop.example", image, fmt.Sprintf("k%d", i+1)})
	}
	return sheetOf{name: "Ads", rows: rows}
}

func sourceOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// pasted is a workbook with a picture over each of the cells.
func pasted(t testing.TB, content string, sheet sheetOf, cells ...string) []byte {
	t.Helper()
	return bookWith(t, func(f *excelize.File) {
		for _, cell := range cells {
			must(t, f.AddPictureFromBytes("Ads", cell, &excelize.Picture{
				Extension: ".png", File: []byte(content), Format: &excelize.GraphicOptions{ScaleX: 0.02, ScaleY: 0.02},
			}))
		}
	}, sheet)
}

// withParts writes a workbook anew with further or other parts, and with parts
// edited.
func withParts(t testing.TB, content []byte, parts map[string]string, edits map[string]func([]byte) []byte) []byte {
	t.Helper()
	for name, edit := range edits {
		content = rebuild(t, content, name, edit)
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, member := range archive.File {
		if _, other := parts[member.Name]; !other {
			must(t, w.Copy(member))
		}
	}
	for name, text := range parts {
		out, err := w.Create(name)
		must(t, err)
		_, err = io.WriteString(out, text)
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

func wantImage(t *testing.T, got draft.Result, row int, want string) {
	t.Helper()
	if row >= len(got.Drafts) {
		t.Fatalf("%d drafts and problems %q; want one of row %d", len(got.Drafts), said(got.Problems), row+2)
	}
	if v := got.Drafts[row].Attributes.Value("image"); v.Text() != want {
		t.Errorf("image of row %d = %v, want %s", row+2, v, want)
	}
}

func TestAPictureOverItsCellIsTheImage(t *testing.T) {
	hero := pngOf(t, 800, 640)
	book := pasted(t, hero, adRows(nil, nil, "https://img.example/a.png"), "F2", "F3", "H4")
	got := readBytes(book)
	wantProblems(t, got.Problems)
	wantImage(t, got, 0, sourceOf(hero))
	wantImage(t, got, 1, sourceOf(hero))
	wantImage(t, got, 2, "https://img.example/a.png")
	v := got.Drafts[0].Attributes.Value("image")
	if v.Written() != "q4.xlsx#xl/media/image1.png" || v.Position != diag.Cell("q4.xlsx", "Ads", 2, 6) {
		t.Errorf("image is written %q at %s; want the part at its cell", v.Written(), v.Position)
	}
}

// What somebody sees in LibreOffice, saved by LibreOffice.
func TestAPictureSavedByLibreOfficeIsTheImage(t *testing.T) {
	got := readBytes(fileBytes(t, "testdata/workbook/picture_libreoffice.xlsx"))
	wantProblems(t, got.Problems)
	wantImage(t, got, 0, sourceOf(string(fileBytes(t, "testdata/workbook/picture.png"))))
}

const drawing1 = "xl/drawings/drawing1.xml"

func TestPicturesThatAreNotTheImage(t *testing.T) {
	hero := pngOf(t, 640, 640)
	one := pasted(t, hero, adRows(nil), "F2")
	edited := func(from, to string) []byte { return rebuild(t, one, drawing1, replaced(from, to)) }
	media := func(content string) []byte {
		return withParts(t, one, map[string]string{"xl/media/image1.png": content}, nil)
	}
	for _, row := range []struct {
		name string
		book []byte
		want string
	}{
		{"too small", pasted(t, pngOf(t, 639, 900), adRows(nil), "F2"),
			"Ads!F2: picture in the workbook with 639 by 900 pixels; want at least 640 by 640 (ADS1015)"},
		{"cropped", edited("<a:stretch>", `<a:srcRect l="1000"/><a:stretch>`),
			"Ads!F2: picture is cropped in the workbook"},
		{"cropped to a circle", edited(`prst="rect"`, `prst="ellipse"`), "picture is cropped"},
		{"turned", edited(`<a:xfrm>`, `<a:xfrm rot="5400000">`), "picture is turned or mirrored"},
		{"mirrored", edited(`<a:xfrm>`, `<a:xfrm flipH="1">`), "picture is turned or mirrored"},
		{"in grey", edited(`></a:blip>`, `><a:grayscl/></a:blip>`), "picture has effects"},
		{"brighter", edited(`></a:blip>`, `><a:extLst><a:ext uri="{x}"><x:imgProps `+
			`xmlns:x="y"><x:imgLayer><x:imgEffect/></x:imgLayer></x:imgProps></a:ext></a:extLst></a:blip>`),
			"picture has effects"},
		{"an SVG with a PNG beside it", edited(`></a:blip>`, `><a:extLst><a:ext uri="{x}"><x:svgBlip `+
			`xmlns:x="y" r:embed="rId1"/></a:ext></a:extLst></a:blip>`), "picture is an SVG drawing"},
		{"linked, with a copy", edited(`r:embed="rId1"`, `r:embed="rId1" r:link="rId9"`),
			"picture is linked from outside"},
		{"linked alone", edited(`r:embed="rId1"`, `r:link="rId1"`), "picture is linked from outside"},
		{"in a group", rebuild(t, rebuild(t, one, drawing1, replaced("<xdr:pic>", "<xdr:grpSp><xdr:pic>")),
			drawing1, replaced("</xdr:pic>", "</xdr:pic></xdr:grpSp>")), "picture is part of a group"},
		{"hidden", edited(`name="Picture 2"`, `name="Picture 2" hidden="1"`), "picture is hidden"},
		{"a GIF", media("GIF89a\x10\x00\x10\x00"),
			"Ads!F2: picture in the workbook: it is a GIF; want a JPEG, PNG or WebP file"},
		{"a Windows metafile", media("\xd7\xcd\xc6\x9a\x00"), "it is a WMF drawing"},
		{"an enhanced metafile", media("\x01\x00\x00\x00" + strings.Repeat("\x00", 36) + " EMF"),
			"it is an EMF drawing"},
		{"an SVG", media("<?xml version='1.0'?>\n<svg/>"), "it is an SVG drawing"},
		{"HEIC", media("\x00\x00\x00\x18ftypheic"), "it is a HEIC"},
		{"bytes of nothing", media("hello"), "its bytes are of another format"},
		{"too large", media("\x89PNG" + strings.Repeat("\x00", 20<<20)), "picture is over 20 MiB; want a smaller one"},
		{"gone from the workbook", rebuild(t, one, "xl/media/image1.png", nil),
			`picture cannot be read: its part "xl/media/image1.png" is missing`},
		{"behind a name with ..", rebuild(t, one, "xl/drawings/_rels/drawing1.xml.rels",
			replaced("../media/image1.png", "../../../../../etc/passwd")), `its part "etc/passwd" is missing`},
		{"two in one cell", pasted(t, hero, adRows(nil), "F2", "F2"),
			"Ads!F2: 2 pictures have their upper left corner in this cell; want one"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := readBytes(row.book)
			wantProblems(t, got.Problems, row.want)
			if !diag.HasErrors(got.Problems) || got.Rows.Failed != 1 {
				t.Errorf("%d rows failed; want the row to fail with an error", got.Rows.Failed)
			}
		})
	}
}

// An image elsewhere is a note of somebody's, unless it covers a row's image
// cell and the row has none.
func TestPicturesNextToTheirCellAreSaid(t *testing.T) {
	hero := pngOf(t, 640, 640)
	large := func(cell string) []byte {
		return bookWith(t, func(f *excelize.File) {
			must(t, f.AddPictureFromBytes("Ads", cell, &excelize.Picture{Extension: ".png", File: []byte(hero)}))
		}, adRows(nil, "a.png"))
	}
	oneCell := rebuild(t, pasted(t, hero, adRows(nil), "E2"), drawing1, func(b []byte) []byte {
		b = bytes.ReplaceAll(b, []byte("twoCellAnchor"), []byte("oneCellAnchor"))
		to, end := bytes.Index(b, []byte("<xdr:to>")), bytes.Index(b, []byte("</xdr:to>"))
		return append(append(bytes.Clone(b[:to]), `<xdr:ext cx="6096000" cy="6096000"/>`...),
			b[end+len("</xdr:to>"):]...)
	})
	absolute := func(images ...any) []byte {
		return rebuild(t, pasted(t, hero, adRows(images...), "F2"), drawing1, func(b []byte) []byte {
			b = bytes.ReplaceAll(b, []byte("twoCellAnchor"), []byte("absoluteAnchor"))
			from, end := bytes.Index(b, []byte("<xdr:from>")), bytes.Index(b, []byte("</xdr:to>"))
			return append(append(bytes.Clone(b[:from]),
				`<xdr:pos x="4000000" y="200000"/><xdr:ext cx="6096000" cy="6096000"/>`...),
				b[end+len("</xdr:to>"):]...)
		})
	}
	for _, row := range []struct {
		name string
		book []byte
		want []string
	}{
		{"it covers an empty image cell", large("D2"), []string{"Ads!F2: warning: " +
			"a picture lies over this cell, but its upper left corner is in D2, so that it is not used"}},
		{"it covers one from above", large("F1"),
			[]string{"Ads!F2: warning: a picture lies over this cell, but its upper left corner is in F1"}},
		{"its size is not in cells",
			oneCell, []string{"Ads!F2: warning: a picture lies over this cell, but its upper left corner is in E2"}},
		{"it covers only cells with an image", large("D3"), nil},
		{"it lies beside them", large("H2"), nil},
		{"the cell has text", pasted(t, hero, adRows("a.png", "b.png"), "F2", "F3"), []string{"Ads!F2: warning: " +
			"2 pictures lie over an image that is written in the cell (F2, F3); the text is used (ADS1029)"}},
		{"it is bound to no cell", absolute(nil),
			[]string{"Ads!F2: the sheet has a picture that is bound to no cell, and this row has no image"}},
		{"it is bound to no cell and not needed", absolute("a.png"), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := readBytes(row.book)
			wantProblems(t, got.Problems, row.want...)
			if v := got.Drafts[0].Attributes.Value("image"); strings.HasPrefix(v.Text(), "sha256:") {
				t.Errorf("image = %v, want none taken", v)
			}
		})
	}
}

func TestAnAddressInTheImageFormulaIsTheImage(t *testing.T) {
	formula := func(f string) []byte {
		return rebuild(t, bookOf(t, adRows("boots.png")), "xl/worksheets/sheet1.xml", func(b []byte) []byte {
			return replaceCell(t, b, "F2", `<c r="F2" t="e" vm="1"><f>`+f+`</f><v>#VALUE!</v></c>`)
		})
	}
	got := readBytes(formula(`_xlfn.IMAGE("https://img.example/a.png")`))
	wantProblems(t, got.Problems)
	wantImage(t, got, 0, "https://img.example/a.png")
	wantProblems(t, readBytes(formula(`_xlfn.IMAGE(H2)`)).Problems,
		"Ads!F2: cell holds a formula; want the address itself")
}

// Ten thousand pictures cost a moment, not an evening.
func TestManyPicturesAreReadInTime(t *testing.T) {
	hero := pngOf(t, 640, 640)
	const count = 10_000
	var drawing, rels strings.Builder
	drawing.WriteString(`<xdr:wsDr xmlns:xdr="x" xmlns:a="a" xmlns:r="r">`)
	images := make([]any, count)
	for i := range count {
		fmt.Fprintf(&drawing, `<xdr:oneCellAnchor><xdr:from><xdr:col>5</xdr:col><xdr:row>%d</xdr:row></xdr:from>`+
			`<xdr:pic><xdr:blipFill><a:blip r:embed="rId%d"/></xdr:blipFill></xdr:pic></xdr:oneCellAnchor>`, i+1, i)
		fmt.Fprintf(&drawing, `<xdr:twoCellAnchor><xdr:from><xdr:col>7</xdr:col><xdr:row>1</xdr:row>`+
			`</xdr:from><xdr:to><xdr:col>9</xdr:col><xdr:row>%d</xdr:row></xdr:to><xdr:pic><xdr:blipFill><a:blip `+
			`r:embed="rId1"/></xdr:blipFill></xdr:pic></xdr:twoCellAnchor>`, count)
		fmt.Fprintf(&rels, `<Relationship Id="rId%d" Type="http://x/image" Target="../media/image1.png"/>`, i)
	}
	drawing.WriteString(`</xdr:wsDr>`)
	images[count-1] = "a.png"
	book := withParts(t, pasted(t, hero, adRows(images...), "F2"), map[string]string{
		drawing1: drawing.String(), "xl/drawings/_rels/drawing1.xml.rels": `<Relationships>` +
			rels.String() + `</Relationships>`,
	}, nil)
	in := workbookInput()
	got := table.ReadWorkbook(t.Context(), "q4.xlsx", book, in)
	wantProblems(t, got.Problems,
		"Ads!F10001: warning: 1 picture lies over an image that is written in the cell (F10001)")
	wantImage(t, got, count-2, sourceOf(hero))
}

// The whole way: loaded from disk, read again for its upload, and refused once
// the workbook says something else.
func TestPicturesAreReadAgainFromTheirWorkbook(t *testing.T) {
	hero, other := pngOf(t, 800, 640), pngOf(t, 640, 800)
	sheet := adRows(nil)
	sheet.rows[1][0], sheet.rows[1][1] = "spring", "main"
	book := pasted(t, hero, sheet, "F2")
	dir := folder(t, map[string]string{"ads/q4.xlsx": string(book), "c.yaml": twoCampaigns})
	d := wantClean(t, load(t, dir))
	p := config.Project{Root: dir}
	if where := d.Images[sourceOf(hero)]; where != "ads/q4.xlsx#xl/media/image1.png" {
		t.Fatalf("Images = %v, want the part of the workbook", d.Images)
	}
	where, content, err := d.ReadImage(p, sourceOf(hero))
	if err != nil || string(content) != hero || where != "ads/q4.xlsx#xl/media/image1.png" {
		t.Fatalf("ReadImage = %q, %d bytes, %v; want the picture", where, len(content), err)
	}
	changed := pasted(t, other, sheet, "F2")
	for name, replace := range map[string]func() error{
		"another picture": func() error { return os.WriteFile(filepath.Join(dir, "ads/q4.xlsx"), changed, 0o600) },
		"a cut workbook": func() error {
			return os.WriteFile(filepath.Join(dir, "ads/q4.xlsx"), book[:len(book)/2], 0o600)
		},
		"no workbook": func() error { return os.Remove(filepath.Join(dir, "ads/q4.xlsx")) },
	} {
		must(t, replace())
		if _, content, err := d.ReadImage(p, sourceOf(hero)); err == nil {
			t.Errorf("%s: ReadImage = %d bytes, want an error", name, len(content))
		}
		must(t, os.WriteFile(filepath.Join(dir, "ads/q4.xlsx"), book, 0o600))
	}
}

// A file that is not YAML's to name: numbers of parts change at each save.
func TestPartsOfWorkbooksCannotBeNamed(t *testing.T) {
	hero := pngOf(t, 640, 640)
	dir := folder(t, map[string]string{
		"ads.yaml": imageAd("q4.xlsx#xl/media/image1.png"), "q4.xlsx": string(pasted(t, hero, adRows(nil), "F2")),
	})
	wantProblem(t, load(t, dir), `image is "q4.xlsx#xl/media/image1.png"; want a file of its own`)
}

func TestDataAddressesAreRefusedWithoutRepeatingThem(t *testing.T) {
	dir := folder(t, map[string]string{
		"ads.yaml": imageAd("'data:image/png;base64," + strings.Repeat("A", 5000) + "'"),
	})
	d := load(t, dir)
	wantProblem(t, d, "ads.yaml:21:8: image is a data: address; want a file of the project")
	for _, p := range d.Problems {
		if strings.Contains(p.String(), "AAAA") {
			t.Errorf("problem repeats the data: %.200s", p)
		}
	}
}

func TestExtractedPicturesCanBeNamedInYAML(t *testing.T) {
	hero, boots := pngOf(t, 800, 640), jpegOf(t, 640, 640)
	sheet := adRows(nil, nil, nil, "https://img.example/a.png")
	for _, row := range sheet.rows[1:] {
		row[0], row[1] = "spring", "main"
	}
	book := bookWith(t, func(f *excelize.File) {
		for cell, content := range map[string]string{"F2": hero, "F3": hero, "F4": boots} {
			must(t, f.AddPictureFromBytes("Ads", cell, &excelize.Picture{
				Extension: map[bool]string{true: ".png", false: ".jpg"}[content == hero],
				File:      []byte(content), Format: &excelize.GraphicOptions{ScaleX: 0.02, ScaleY: 0.02},
			}))
		}
	}, sheet)
	dir := folder(t, map[string]string{"ads/q4.xlsx": string(book), "c.yaml": twoCampaigns})
	d := wantClean(t, load(t, dir))
	written := map[string]string{}
	s, err := sources.ExtractImages(config.Project{Root: dir}, d, func(name string, content []byte) error {
		written[name] = string(content)
		return nil
	})
	must(t, err)
	heroName, bootsName := "images/k1-"+sourceOf(hero)[7:15]+".png", "images/k3-"+sourceOf(boots)[7:15]+".jpg"
	if len(written) != 2 || written[heroName] != hero || written[bootsName] != boots {
		t.Fatalf("written are %d files; want %s and %s", len(written), heroName, bootsName)
	}
	var yaml bytes.Buffer
	must(t, workbook.WriteYAML(&yaml, kinds.All(), s, resource.Env{}))
	written["all.yaml"] = yaml.String()
	again := wantClean(t, load(t, folder(t, written)))
	for r := range d.Snapshot.All() {
		for _, n := range r.Attributes {
			if got := again.Snapshot.Get(r.Address).Value(n.Name); !got.Equal(n.Value) {
				t.Errorf("%s of %s = %v, want %v", n.Name, r.Address, got, n.Value)
			}
		}
	}
	if v := valueOf(t, d, "ad/spring/main/k1", "image"); !strings.HasPrefix(v.Written(), "ads/q4.xlsx#xl/media/image") {
		t.Errorf("the snapshot that was given says %q now; want it unchanged", v.Written())
	}
}

// Without extraction a picture is named by its content: never by a number that
// the next save gives to another picture.
func TestAPictureIsWrittenAsItsHashWhereItHasNoFile(t *testing.T) {
	hero := pngOf(t, 800, 640)
	sheet := adRows(nil)
	sheet.rows[1][0], sheet.rows[1][1] = "spring", "main"
	d := wantClean(t, load(t, folder(t, map[string]string{
		"q4.xlsx": string(pasted(t, hero, sheet, "F2")), "c.yaml": twoCampaigns,
	})))
	var yaml, book bytes.Buffer
	must(t, workbook.WriteYAML(&yaml, kinds.All(), d.Snapshot, resource.Env{}))
	must(t, workbook.WriteWorkbook(&book, kinds.All(), d.Snapshot, dollars))
	for name, content := range map[string]string{"all.yaml": yaml.String(), "all.xlsx": book.String()} {
		again := load(t, folder(t, map[string]string{name: content}))
		if len(again.Problems) != 1 || again.Problems[0].Code != diag.NoImageFile {
			t.Errorf("%s: problems are %v; want one, that no file has the image", name, again.Problems)
		}
		if v := valueOf(t, again, "ad/spring/main/k1", "image"); v.Text() != sourceOf(hero) {
			t.Errorf("%s: image = %v, want %s", name, v, sourceOf(hero))
		}
		if len(again.Images) > 0 {
			t.Errorf("%s: Images = %v, want none: no file is there", name, again.Images)
		}
	}
}

func TestALinkOfTheImageCellIsAHintAlone(t *testing.T) {
	sheet := adRows("Hero picture", "hero.png")
	for _, row := range sheet.rows[1:] {
		row[0], row[1] = "spring", "main"
	}
	book := bookWith(t, func(f *excelize.File) {
		must(t, f.SetCellHyperLink("Ads", "F2", "https://img.example/hero.png", "External"))
		must(t, f.SetCellHyperLink("Ads", "F3", "https://img.example/other.png", "External"))
	}, sheet)
	d := load(t, folder(t, map[string]string{
		"q4.xlsx": string(book), "c.yaml": twoCampaigns, "hero.png": pngOf(t, 640, 640),
	}))
	if len(d.Problems) != 1 ||
		d.Problems[0].Hint != "the cell links to https://img.example/hero.png; write that address if it is the image" {
		t.Errorf("problems %v; want one, with the link in its hint", d.Problems)
	}
	if v := valueOf(t, d, "ad/spring/main/k2", "image"); v.Written() != "hero.png" {
		t.Errorf("image = %q, want the text of the cell", v.Written())
	}
}
