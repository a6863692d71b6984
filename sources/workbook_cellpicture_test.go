package sources_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// The parts Excel writes for a picture placed in a cell: from the cell's vm
// through its metadata, rich value and structure to the list of relationships.
const (
	richMetadata = `<metadata xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:xlrd="http://schemas.microsoft.com/office/spreadsheetml/2017/richdata">
<metadataTypes count="2"><metadataType name="XLDAPR" minSupportedVersion="120000"/><metadataType name="XLRICHVALUE" minSupportedVersion="120000"/></metadataTypes>
<futureMetadata name="XLDAPR" count="1"><bk><extLst><ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}"/></extLst></bk></futureMetadata>
<futureMetadata name="XLRICHVALUE" count="4">
<bk><extLst><ext uri="{3e2802c4-a4d2-4d8b-9148-e3be6c30e623}"><xlrd:rvb i="0"/></ext></extLst></bk>
<bk><extLst><ext uri="{3e2802c4-a4d2-4d8b-9148-e3be6c30e623}"><xlrd:rvb i="1"/></ext></extLst></bk>
<bk><extLst><ext uri="{3e2802c4-a4d2-4d8b-9148-e3be6c30e623}"><xlrd:rvb i="2"/></ext></extLst></bk>
<bk><extLst><ext uri="{3e2802c4-a4d2-4d8b-9148-e3be6c30e623}"><xlrd:rvb i="3"/></ext></extLst></bk></futureMetadata>
<cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata>
<valueMetadata count="4"><bk><rc t="2" v="0"/></bk><bk><rc t="2" v="1"/></bk><bk><rc t="2" v="2"/></bk><bk><rc t="2" v="3"/></bk></valueMetadata></metadata>`

	richValueParts = `<rvData xmlns="http://schemas.microsoft.com/office/spreadsheetml/2017/richdata" count="4">
<rv s="0"><v>8</v><v>3</v></rv><rv s="1"><v>1</v><v>5</v></rv><rv s="2"><v>0</v><v>5</v><v>a shoe</v></rv><rv s="1"><v>7</v><v>5</v></rv></rvData>`

	richStructures = `<rvStructures xmlns="http://schemas.microsoft.com/office/spreadsheetml/2017/richdata" count="3">
<s t="_error"><k n="errorType" t="i"/><k n="propagated" t="b"/></s>
<s t="_localImage"><k n="_rvRel:LocalImageIdentifier" t="i"/><k n="CalcOrigin" t="i"/></s>
<s t="_localImage"><k n="_rvRel:LocalImageIdentifier" t="i"/><k n="CalcOrigin" t="i"/><k n="Text" t="s"/></s></rvStructures>`

	richImages = `<richValueRels xmlns="http://schemas.microsoft.com/office/spreadsheetml/2022/richvaluerel" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<rel r:id="rId1"/><rel r:id="rId2"/></richValueRels>`

	richImageRels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" ` +
		`Target="../media/image2.png"/><Relationship ` +
		`Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" ` +
		`Target="../media/image1.png"/></Relationships>`
)

func placedParts(first, second string) map[string]string {
	return map[string]string{
		"xl/metadata.xml": richMetadata, "xl/richData/rdrichvalue.xml": richValueParts,
		"xl/richData/rdrichvaluestructure.xml": richStructures,
		"xl/richData/richValueRel.xml":         richImages, "xl/richData/_rels/richValueRel.xml.rels": richImageRels,
		"xl/media/image1.png": first, "xl/media/image2.png": second,
	}
}

// placed is a workbook with cells as Excel stores them, from row 2 down, and the parts.
func placed(t testing.TB, parts map[string]string, cells ...string) []byte {
	t.Helper()
	images := make([]any, len(cells))
	for i := range images {
		images[i] = "x"
	}
	return withParts(t, bookOf(t, adRows(images...)), parts, map[string]func([]byte) []byte{
		"xl/worksheets/sheet1.xml": func(b []byte) []byte {
			for i, cell := range cells {
				b = replaceCell(t, b, fmt.Sprintf("F%d", i+2), fmt.Sprintf(cell, i+2))
			}
			return b
		},
		"xl/_rels/workbook.xml.rels": replaced("</Relationships>", `
<Relationship Id="rId91" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sheetMetadata" Target="metadata.xml"/>
<Relationship Id="rId92" Type="http://schemas.microsoft.com/office/2017/06/relationships/rdRichValue" Target="richData/rdrichvalue.xml"/>
<Relationship Id="rId93" Type="http://schemas.microsoft.com/office/2017/06/relationships/rdRichValueStructure" Target="richData/rdrichvaluestructure.xml"/>
<Relationship Id="rId94" Type="http://schemas.microsoft.com/office/2022/10/relationships/richValueRel" Target="richData/richValueRel.xml"/>
<Relationship Id="rId95" Type="http://www.wps.cn/officeDocument/2020/cellImage" Target="cellimages.xml"/></Relationships>`),
	})
}

const shoePlaced = `<c r="F%d" t="e" vm="2"><v>#VALUE!</v></c>`

func TestAPicturePlacedInItsCellIsTheImage(t *testing.T) {
	first, second := pngOf(t, 640, 700), pngOf(t, 700, 640)
	book := placed(t, placedParts(first, second), shoePlaced, `<c r="F%d" t="e" vm="3"><v>#VALUE!</v></c>`)
	got := readBytes(book)
	wantProblems(t, got.Problems)
	wantImage(t, got, 0, sourceOf(second))
	wantImage(t, got, 1, sourceOf(first))

	// Another reader finds the same pictures in the same cells.
	f := opened(t, book)
	for cell, want := range map[string]string{"F2": second, "F3": first} {
		pictures, err := f.GetPictures("Ads", cell)
		must(t, err)
		if len(pictures) != 1 || string(pictures[0].File) != want ||
			pictures[0].InsertType != excelize.PictureInsertTypePlaceInCell {
			t.Errorf("excelize finds %d pictures in %s; want the one adsync takes", len(pictures), cell)
		}
	}
}

func TestPicturesPlacedInCellsThatLeadNowhere(t *testing.T) {
	hero := pngOf(t, 640, 640)
	with := func(part, from, to string) map[string]string {
		parts := placedParts(hero, hero)
		if !strings.Contains(parts[part], from) {
			t.Fatalf("%s has no %q", part, from)
		}
		parts[part] = strings.Replace(parts[part], from, to, 1)
		return parts
	}
	without := func(part string) map[string]string {
		parts := placedParts(hero, hero)
		delete(parts, part)
		return parts
	}
	const values, structures = "xl/richData/rdrichvalue.xml", "xl/richData/rdrichvaluestructure.xml"
	for _, row := range []struct {
		name  string
		parts map[string]string
		cell  string
		want  string
	}{
		{"an error with a cause", placedParts(hero, hero),
			`<c r="F%d" t="e" vm="1"><v>#SPILL!</v></c>`, "Ads!F2: cell holds the error #SPILL!"},
		{"a number beyond the metadata", placedParts(hero, hero), `<c r="F%d" t="e" vm="5"><v>#VALUE!</v></c>`,
			"Ads!F2: picture in the cell cannot be found (a cell names metadata 5 of 4)"},
		{"a number beyond the pictures", placedParts(hero, hero),
			`<c r="F%d" t="e" vm="4"><v>#VALUE!</v></c>`, `a rich value names picture "7" of 2`},
		{"a number below them", with(values, "<v>1</v><v>5</v>", "<v>-1</v><v>5</v>"),
			shoePlaced, `names picture "-1" of 2`},
		{"a rich value that is not there", with("xl/metadata.xml", `<xlrd:rvb i="1"/>`, `<xlrd:rvb i="99"/>`),
			shoePlaced, "a cell names rich value 99 of 4"},
		{"a structure that is not there", with(values, `<rv s="1">`, `<rv s="17">`),
			shoePlaced, "a rich value names structure 17 of 3"},
		{"a structure below the first", with(values, `<rv s="1">`, `<rv s="-1">`),
			shoePlaced, "a rich value names structure -1 of 3"},
		{"parts that do not match", with(values, "<v>1</v><v>5</v>", "<v>1</v>"),
			shoePlaced, "a rich value has 1 parts of 2"},
		{"a structure without a picture", with(structures, `_rvRel:LocalImageIdentifier`, `other`),
			shoePlaced, "a rich value of a picture names no picture"},
		{"no metadata", without("xl/metadata.xml"), shoePlaced, `its part "xl/metadata.xml" is missing`},
		{"no rich values", without(values), shoePlaced, `its part "xl/richdata/rdrichvalue.xml" is missing`},
		{"no media", without("xl/media/image2.png"), shoePlaced, `its part "xl/media/image2.png" is missing`},
		{"metadata that is cut", with("xl/metadata.xml", "</metadata>", ""), shoePlaced, "XML ends inside <metadata>"},
		{"a number that is none", placedParts(hero, hero),
			`<c r="F%d" t="e" vm="x"><v>#VALUE!</v></c>`, `cell has the metadata "x"`},
		{"a picture outside", with("xl/richData/_rels/richValueRel.xml.rels",
			`Target="../media/image2.png"`, `Target="https://evil.example/x.png" TargetMode="External"`),
			shoePlaced, "picture is linked from outside the workbook"},
	} {
		t.Run(row.name, func(t *testing.T) {
			wantProblems(t, readBytes(placed(t, row.parts, row.cell)).Problems, row.want)
		})
	}
}

func TestAPicturePlacedWhereTextIsWanted(t *testing.T) {
	book := placed(t, placedParts(pngOf(t, 640, 640), pngOf(t, 640, 640)),
		"<c r=\"F%d\" t=\"inlineStr\"><is><t>a.png</t></is></c>")
	book = rebuild(t, book, "xl/worksheets/sheet1.xml", func(b []byte) []byte {
		return replaceCell(t, b, "D2", `<c r="D2" t="e" vm="2"><v>#VALUE!</v></c>`)
	})
	wantProblems(t, readBytes(book).Problems, "Ads!D2: a picture is placed in this cell; want text")
}

// The list of pictures in cells that WPS keeps.
const wpsImages = `<etc:cellImages xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:etc="http://www.wps.cn/officeDocument/2017/etCustomData">
<etc:cellImage><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="2" name="ID_A16C8CE6E39B4F25934D584A1C41E1E1" descr="shoe"/><xdr:cNvPicPr/></xdr:nvPicPr><xdr:blipFill><a:blip r:embed="rId1"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="10" cy="10"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic></etc:cellImage>
<etc:cellImage><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="3" name="ID_CROPPED"/><xdr:cNvPicPr/></xdr:nvPicPr><xdr:blipFill><a:blip r:embed="rId2"/><a:srcRect t="20000"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr/></xdr:pic></etc:cellImage></etc:cellImages>`

func TestAPictureOfWPSIsTheImage(t *testing.T) {
	first, second := pngOf(t, 640, 700), pngOf(t, 700, 640)
	parts := map[string]string{
		"xl/cellimages.xml":            wpsImages,
		"xl/_rels/cellimages.xml.rels": strings.ReplaceAll(richImageRels, "../media", "media"),
		"xl/media/image1.png":          first, "xl/media/image2.png": second,
	}
	formula := func(name string) string {
		return `<c r="F%d" t="str"><f>_xlfn.DISPIMG("` + name + `",1)</f><v>=DISPIMG("` + name + `",1)</v></c>`
	}
	const shoe = "ID_A16C8CE6E39B4F25934D584A1C41E1E1"
	book := placed(t, parts, formula(shoe), `<c r="F%d" t="inlineStr"><is><t>=DISPIMG("`+shoe+`",1)</t></is></c>`)
	got := readBytes(book)
	wantProblems(t, got.Problems)
	wantImage(t, got, 0, sourceOf(first))
	wantImage(t, got, 1, sourceOf(first))

	wantProblems(t, readBytes(placed(t, parts, formula("ID_CROPPED"), formula("ID_GONE"))).Problems,
		"Ads!F2: picture is cropped in the workbook",
		"Ads!F3: cell shows a picture of WPS that the workbook does not hold any more")
	parts["xl/cellimages.xml"] = strings.Replace(wpsImages, "ID_CROPPED", shoe, 1)
	wantProblems(t, readBytes(placed(t, parts, formula(shoe))).Problems, `two have the name "`+shoe+`"`)
}
