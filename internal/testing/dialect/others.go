package dialect

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// unprefixed is a tag without a prefix.
var unprefixed = regexp.MustCompile(`<(/?)([a-zA-Z]+)([ />])`)

// byExcelize writes with the library of adsync's own workbooks.
func byExcelize() ([]byte, error) {
	f := excelize.NewFile()
	defer f.Close()
	format := "yyyy-mm-dd"
	day, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
	if err != nil {
		return nil, err
	}
	for i, s := range Sheets {
		if i == 0 {
			err = f.SetSheetName("Sheet1", s.Name)
		} else {
			_, err = f.NewSheet(s.Name)
		}
		for r, values := range s.Rows {
			for c, value := range values {
				if err == nil {
					err = setCell(f, s.Name, ref(r+1, c+1), day, value)
				}
			}
		}
		if err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	err = f.Write(&b)
	return b.Bytes(), err
}

func setCell(f *excelize.File, sheet, at string, day int, value any) error {
	switch v := value.(type) {
	case string:
		return f.SetCellStr(sheet, at, v)
	case Number:
		n, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return err
		}
		return f.SetCellFloat(sheet, at, n, -1, 64)
	case Day:
		date, err := time.Parse(time.DateOnly, string(v))
		if err != nil {
			return err
		}
		if err := f.SetCellValue(sheet, at, date); err != nil {
			return err
		}
		return f.SetCellStyle(sheet, at, at, day)
	}
	return nil
}

// google writes what the export of Google Sheets does: every number with a
// point, no dimension, a style for each of the thousand rows, blank ones below.
func google() map[string]string {
	texts := &sharedTexts{}
	data := tables(
		func(number int, cells string) string { return fmt.Sprintf(`<row r="%d">%s</row>`, number, cells) },
		func(row, column int, value any) string {
			at, digits := ref(row, column), ""
			switch v := value.(type) {
			case Number:
				if digits = string(v); !strings.Contains(digits, ".") {
					digits += ".0"
				}
				return fmt.Sprintf(`<c r="%s" s="%d"><v>%s</v></c>`, at, 3*row, digits)
			case Day:
				return fmt.Sprintf(`<c r="%s" s="%d"><v>%d.0</v></c>`, at, 3*row+1, serial(v, from1900))
			case string:
				return fmt.Sprintf(`<c r="%s" s="%d" t="s"><v>%d</v></c>`, at, 3*row+2, texts.number(v))
			}
			return fmt.Sprintf(`<c r="%s" s="%d"/>`, at, 3*row+2)
		},
	)
	parts := map[string]string{
		"[Content_Types].xml": contentTypes(usual()),
		"_rels/.rels":         relationships(officeR, [2]string{"officeDocument", "xl/workbook.xml"}),
		"xl/workbook.xml": declaration + `<workbook xmlns="` +
			main + `" xmlns:r="` + officeR + `" xmlns:mx="http://schemas.microsoft.com/office/mac/excel/2008/main" ` +
			`xmlns:mv="urn:schemas-microsoft-com:mac:vml"><workbookPr/><sheets>` + sheetList(`<sheet state="visible" `+
			`name="%s" sheetId="%d" r:id="rId%d"/>`, 4) + `</sheets><definedNames/><calcPr/></workbook>`,
		"xl/styles.xml": declaration + `<styleSheet xmlns="` + main +
			`"><numFmts count="2"><numFmt numFmtId="164" formatCode="&quot;$&quot;#,##0.00"/><numFmt numFmtId="165" ` +
			`formatCode="yyyy\-mm\-dd"/></numFmts><cellXfs count="3003">` + strings.Repeat(`<xf borderId="0" `+
			`fillId="0" fontId="0" numFmtId="164" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" `+
			`xfId="0"/><xf numFmtId="49" xfId="0"/>`, 1001) + `</cellXfs></styleSheet>`,
		"xl/theme/theme1.xml": declaration +
			`<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Sheets"/>`,
	}
	rels := [][2]string{{"theme", "theme/theme1.xml"}, {"styles", "styles.xml"}, {"sharedStrings", "sharedStrings.xml"}}
	for i, rows := range data {
		for row := len(Sheets[i].Rows) + 1; row <= 1000; row++ {
			rows += fmt.Sprintf(`<row r="%d" ht="15.75" customHeight="1"><c r="A%d" s="%d"/></row>`, row, row, 3*row+2)
		}
		name := fmt.Sprintf("worksheets/sheet%d.xml", i+1)
		rels = append(rels, [2]string{"worksheet", name})
		parts["xl/"+name] = declaration + `<worksheet xmlns="` + main + `" xmlns:r="` + officeR +
			`" xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac"><sheetPr><outlinePr ` +
			`summaryBelow="0" summaryRight="0"/></sheetPr><sheetViews><sheetView ` +
			`workbookViewId="0"><pane ySplit="1.0" topLeftCell="A2" activePane="bottomLeft" ` +
			`state="frozen"/></sheetView></sheetViews><sheetFormatPr customHeight="1" defaultColWidth="12.63" ` +
			`defaultRowHeight="15.75"/><sheetData>` + rows + `</sheetData><drawing r:id="rId1"/></worksheet>`
		parts[fmt.Sprintf("xl/drawings/drawing%d.xml", i+1)] = declaration +
			`<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"/>`
		parts[fmt.Sprintf("xl/worksheets/_rels/sheet%d.xml.rels", i+1)] = relationships(officeR,
			[2]string{"drawing", fmt.Sprintf("../drawings/drawing%d.xml", i+1)})
	}
	parts["xl/sharedStrings.xml"] = declaration +
		fmt.Sprintf(`<sst xmlns="%s" count="%d" uniqueCount="%d">`, main, texts.uses, len(texts.texts)) +
		texts.items(func(text string) string { return `<t xml:space="preserve">` + escape(text) + `</t>` }) + `</sst>`
	parts["xl/_rels/workbook.xml.rels"] = relationships(officeR, rels...)
	return parts
}

// numbers writes what Numbers exports: a summary with links first, a sheet for each
// table named after both, and the table's title merged above its header.
func numbers() map[string]string {
	texts := &sharedTexts{}
	data := tables(
		func(number int, cells string) string {
			return fmt.Sprintf(`<row r="%d" ht="20.05" customHeight="1">%s</row>`, number+1, cells)
		},
		func(row, column int, value any) string {
			at := ref(row+1, column)
			switch v := value.(type) {
			case Number:
				return fmt.Sprintf(`<c r="%s" s="2"><v>%s</v></c>`, at, v)
			case Day:
				return fmt.Sprintf(`<c r="%s" s="1"><v>%d</v></c>`, at, serial(v, from1900))
			case string:
				return fmt.Sprintf(`<c r="%s" t="s" s="3"><v>%d</v></c>`, at, texts.number(v))
			}
			return fmt.Sprintf(`<c r="%s" s="3"/>`, at)
		},
	)
	text := func(at, text string) string {
		return fmt.Sprintf(`<c r="%s" t="s" s="3"><v>%d</v></c>`, at, texts.number(text))
	}
	summary := `<row r="2">` + text("B2", "This document was exported from Numbers. "+
		"Each table was converted to an Excel worksheet.") + `</row><row r="3">` + text("B3", "Numbers Sheet Name") +
		text("C3", "Numbers Table Name") + text("D3", "Excel Worksheet Name") + `</row>`
	links, sheets := "", `<sheet name="Export Summary" sheetId="1" r:id="rId3"/>`
	parts := map[string]string{
		"[Content_Types].xml": contentTypes(usual()),
		"_rels/.rels":         relationships(officeR, [2]string{"officeDocument", "xl/workbook.xml"}),
		"xl/styles.xml": declaration + `<styleSheet xmlns="` + main + `"><numFmts count="1"><numFmt ` +
			`numFmtId="59" formatCode="d mmm yyyy"/></numFmts><cellXfs count="4"><xf numFmtId="0" ` +
			`applyNumberFormat="1"/><xf numFmtId="59" applyNumberFormat="1"/><xf numFmtId="4" ` +
			`applyNumberFormat="1"/><xf numFmtId="49" applyNumberFormat="1"/></cellXfs></styleSheet>`,
	}
	rels := [][2]string{{"styles", "styles.xml"}, {"sharedStrings", "sharedStrings.xml"},
		{"worksheet", "worksheets/sheet0.xml"}}
	for i, rows := range data {
		name := fmt.Sprintf("%s - Table 1", Sheets[i].Name)
		sheets += fmt.Sprintf(`<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, name, i+2, i+4)
		summary += fmt.Sprintf(`<row r="%d">`, i+4) + text(fmt.Sprintf("B%d", i+4), Sheets[i].Name) +
			text(fmt.Sprintf("C%d", i+4), "Table 1") + text(fmt.Sprintf("D%d", i+4), name) + `</row>`
		links += fmt.Sprintf(`<hyperlink ref="D%d" location="'%s'!R1C1" tooltip="" display="%s"/>`, i+4, name, name)
		rels = append(rels, [2]string{"worksheet", fmt.Sprintf("worksheets/sheet%d.xml", i+1)})
		title := `<row r="1" ht="27.65" customHeight="1">` +
			text("A1", "Table 1") + `<c r="B1" s="3"/><c r="C1" s="3"/></row>`
		parts[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)] = declaration + `<worksheet xmlns="` +
			main + `" xmlns:r="` + officeR + `"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><dimension ` +
			`ref="A1:L6"/><sheetFormatPr defaultColWidth="16.3333" defaultRowHeight="19.9"/><cols><col ` +
			`min="1" max="12" width="16.3516" style="3" customWidth="1"/></cols><sheetData>` +
			title + rows + `</sheetData><mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells></worksheet>`
	}
	parts["xl/worksheets/sheet0.xml"] = declaration + `<worksheet xmlns="` +
		main + `"><sheetData>` + summary + `</sheetData><hyperlinks>` + links + `</hyperlinks></worksheet>`
	parts["xl/workbook.xml"] = declaration + `<workbook xmlns="` +
		main + `" xmlns:r="` + officeR + `"><workbookPr/><sheets>` + sheets + `</sheets></workbook>`
	parts["xl/sharedStrings.xml"] = declaration +
		fmt.Sprintf(`<sst xmlns="%s" uniqueCount="%d">`, main, len(texts.texts)) + texts.items(plainItem) + `</sst>`
	parts["xl/_rels/workbook.xml.rels"] = relationships(officeR, rels...)
	return parts
}

// wps writes what WPS Spreadsheets does: excel with namespaces of its own, and a
// picture by a function only it knows, in a column that is the user's.
func wps() map[string]string {
	parts := excel(false)
	for name, content := range parts {
		if strings.HasPrefix(name, "xl/worksheets/") {
			content = strings.Replace(content, "<worksheet ",
				`<worksheet xmlns:etc="http://www.wps.cn/officeDocument/2017/etCustomData" `+
					`xmlns:woe="http://www.wps.cn/officeDocument/2018/webExtension" `, 1)
			content = strings.Replace(content, `</row><row r="2"`,
				`<c r="M1" t="inlineStr"><is><t>#Preview</t></is></c></row><row r="2"`, 1)
			content = strings.Replace(content, `</row><row r="3"`,
				`<c r="M2" t="str"><f>_xlfn.DISPIMG("ID_6A1F",1)</f><v>=DISPIMG("ID_6A1F",1)</v></c></row><row r="3"`,
				1)
			parts[name] = strings.Replace(content,
				"</sheetData>", "</sheetData><phoneticPr fontId=\"1\" type=\"noConversion\"/>", 1)
		}
	}
	parts["docProps/app.xml"] = declaration +
		`<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">` +
		`<Application>WPS Office</Application></Properties>`
	parts["docProps/custom.xml"] = declaration +
		`<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties" ` +
		`xmlns:vt="x"><property name="KSOProductBuildVer"><vt:lpwstr>2052-12.1.0</vt:lpwstr></property></Properties>`
	return parts
}

// sheetJS writes what SheetJS does by default: texts in the cells, days as text
// of ISO 8601, no part for shared texts, and numbers that were texts stay texts.
func sheetJS() map[string]string {
	parts := bare(func(row, column int, value any) string {
		at := ref(row, column)
		switch v := value.(type) {
		case Number:
			return fmt.Sprintf(`<c r="%s" t="str"><v>%s</v></c>`, at, v)
		case Day:
			return fmt.Sprintf(`<c r="%s" t="d" s="0"><v>%sT00:00:00.000Z</v></c>`, at, v)
		case string:
			return fmt.Sprintf(`<c r="%s" t="str"><v%s>%s</v></c>`, at, preserved(v), escape(v))
		}
		return ""
	})
	parts["xl/metadata.xml"] = declaration + `<metadata xmlns="` + main + `"/>`
	return parts
}

// excelJS writes rows and cells without their places, texts inline, and no
// styles: days are texts then.
func excelJS() map[string]string {
	return bare(func(_, _ int, value any) string {
		switch v := value.(type) {
		case Number:
			return fmt.Sprintf(`<c><v>%s</v></c>`, v)
		case Day:
			return fmt.Sprintf(`<c t="inlineStr"><is><t>%s</t></is></c>`, v)
		case string:
			return `<c t="inlineStr"><is>` + plainItem(v) + `</is></c>`
		}
		return `<c/>`
	})
}

// bare is a workbook of the fewest parts.
func bare(cell func(row, column int, value any) string) map[string]string {
	data := tables(func(_ int, cells string) string { return `<row>` + cells + `</row>` }, cell)
	var rels [][2]string
	parts := map[string]string{
		"[Content_Types].xml": contentTypes(map[string]string{"xl/workbook.xml": "sheet.main"}),
		"_rels/.rels":         relationships(officeR, [2]string{"officeDocument", "/xl/workbook.xml"}),
		"xl/workbook.xml": declaration + `<workbook xmlns="` + main + `" xmlns:r="` + officeR +
			`"><sheets>` + sheetList(`<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, 1) + `</sheets></workbook>`,
	}
	for i, rows := range data {
		rels = append(rels, [2]string{"worksheet", fmt.Sprintf("/xl/worksheets/sheet%d.xml", i+1)})
		parts[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)] = `<worksheet xmlns="` +
			main + `"><sheetData>` + rows + `</sheetData></worksheet>`
	}
	parts["xl/_rels/workbook.xml.rels"] = relationships(officeR, rels...)
	return parts
}
