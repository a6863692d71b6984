package dialect

import (
	"fmt"
	"strings"
	"time"
)

// excel writes what desktop Excel does: revision ids, spans, rich texts with
// phonetic guides, extension lists, doubles of seventeen digits.
func excel(days1904 bool) map[string]string {
	first, property := from1900, ""
	if days1904 {
		first, property = from1904, ` date1904="1"`
	}
	texts := &sharedTexts{}
	data := tables(
		func(number int, cells string) string {
			return fmt.Sprintf(`<row r="%d" spans="1:12" x14ac:dyDescent="0.25">%s</row>`, number, cells)
		},
		func(row, column int, value any) string { return excelCell(texts, first, row, column, value) },
	)
	parts := map[string]string{
		"[Content_Types].xml": contentTypes(usual()),
		"_rels/.rels": relationships(officeR,
			[2]string{"officeDocument", "xl/workbook.xml"}, [2]string{"extended-properties", "docProps/app.xml"}),
		"docProps/app.xml": declaration +
			`<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">` +
			`<Application>Microsoft Excel</Application><AppVersion>16.0300</AppVersion></Properties>`,
		"xl/workbook.xml": declaration + `<workbook xmlns="` + main + `" xmlns:r="` +
			officeR + `" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x15 ` +
			`xr xr6 xr10 xr2" xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main" ` +
			`xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision">` +
			`<fileVersion appName="xl" lastEdited="7" lowestEdited="7" rupBuild="27231"/><workbookPr` + property +
			` defaultThemeVersion="166925"/><mc:AlternateContent><mc:Choice Requires="x15"><x15ac:absPath ` +
			`url="C:\Users\Ann\" xmlns:x15ac="http://schemas.microsoft.com/office/spreadsheetml/2010/11/ac"/>` +
			`</mc:Choice></mc:AlternateContent>` +
			`<xr:revisionPtr revIDLastSave="0" ` +
			`documentId="13_ncr:1_{3A6F}" xr6:coauthVersionLast="47" xmlns:xr6="x"/><bookViews><workbookView ` +
			`xWindow="-120" yWindow="-120" xr2:uid="{8F}" xmlns:xr2="x"/></bookViews><sheets>` +
			sheetList(`<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, 1) + `</sheets>` +
			`<definedNames><definedName name="_xlnm._FilterDatabase" ` +
			`localSheetId="0" hidden="1">Campaigns!$A$1:$L$5</definedName></definedNames><calcPr ` +
			`calcId="191029"/><extLst><ext uri="{140A7094-0E35-4892-8432-C4D2E57EDEB5}"><x15:workbookPr ` +
			`chartTrackingRefBase="1"/></ext></extLst></workbook>`,
		"xl/sharedStrings.xml": declaration + fmt.Sprintf(`<sst xmlns="%s" count="%d" uniqueCount="%d">`,
			main, texts.uses, len(texts.texts)) + texts.items(excelItem) + `</sst>`,
		"xl/styles.xml":    declaration + excelStyles,
		"xl/calcChain.xml": declaration + `<calcChain xmlns="` + main + `"/>`,
		"xl/theme/theme1.xml": declaration +
			`<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Office"/>`,
	}
	var rels [][2]string
	for i, rows := range data {
		name := fmt.Sprintf("worksheets/sheet%d.xml", i+1)
		rels = append(rels, [2]string{"worksheet", name})
		parts["xl/"+name] = declaration + excelSheet(i, rows)
	}
	rels = append(rels, [2]string{"theme", "theme/theme1.xml"}, [2]string{"styles", "styles.xml"},
		[2]string{"sharedStrings", "sharedStrings.xml"}, [2]string{"calcChain", "calcChain.xml"})
	parts["xl/_rels/workbook.xml.rels"] = relationships(officeR, rels...)
	return parts
}

func excelSheet(number int, rows string) string {
	return `<worksheet xmlns="` + main + `" xmlns:r="` +
		officeR + `" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
		`mc:Ignorable="x14ac xr xr2 xr3" xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac" ` +
		`xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision" xr:uid="{0000000` +
		fmt.Sprint(number) + `-0001-0000-0000-000000000000}">` +
		`<sheetPr filterMode="1"/><dimension ref="A1:L5"/><sheetViews><sheetView tabSelected="1" ` +
		`workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection ` +
		`pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews><sheetFormatPr ` +
		`baseColWidth="10" defaultColWidth="9.140625" defaultRowHeight="15" x14ac:dyDescent="0.25"/>` +
		`<cols><col min="1" max="1" width="22.7109375" bestFit="1" customWidth="1"/><col min="13" ` +
		`max="16384" width="9.140625" hidden="1"/></cols><sheetData>` + rows + `</sheetData>` +
		`<autoFilter ref="A1:L5" xr:uid="{11}"/><conditionalFormatting sqref="B2:B50"><cfRule type="cellIs" ` +
		`dxfId="0" priority="1" operator="equal"><formula>"active"</formula></cfRule></conditionalFormatting>` +
		`<dataValidations count="1"><dataValidation type="list" allowBlank="1" showInputMessage="1" sqref="B2:B50" ` +
		`xr:uid="{12}"><formula1>"active,paused,archived"</formula1></dataValidation></dataValidations>` +
		`<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>` +
		controls + `<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" ` +
		`xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:dataValidations ` +
		`count="1" xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:dataValidation ` +
		`type="list"><x14:formula1><xm:f>Lists!$A$1:$A$3</xm:f></x14:formula1>` +
		`<xm:sqref>C2:C50</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst></worksheet>`
}

// controls are a check box and an embedded file: where they lie is said in
// elements that are called row and col too.
const controls = `<mc:AlternateContent><mc:Choice Requires="x14"><oleObjects><mc:AlternateContent><mc:Choice ` +
	`Requires="x14"><oleObject progId="Word.Document.12" shapeId="1025"><objectPr ` +
	`defaultSize="0" autoPict="0"><anchor moveWithCells="1"><from><xdr:col xmlns:xdr="x">1</xdr:col><xdr:colOff ` +
	`xmlns:xdr="x">0</xdr:colOff><xdr:row xmlns:xdr="x">7</xdr:row></from><to><xdr:col ` +
	`xmlns:xdr="x">3</xdr:col><xdr:row xmlns:xdr="x">9</xdr:row></to></anchor>` +
	`</objectPr></oleObject></mc:Choice></mc:AlternateContent></oleObjects><controls><control shapeId="1026" ` +
	`name="Check Box 1"><controlPr defaultSize="0"><anchor><from><xdr:col xmlns:xdr="x">5</xdr:col><xdr:row ` +
	`xmlns:xdr="x">2</xdr:row></from></anchor></controlPr></control></controls></mc:Choice></mc:AlternateContent>`

// excelStyles has a format for days, one for money, one for text.
const excelStyles = `<styleSheet xmlns="` + main +
	`" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
	`mc:Ignorable="x14ac"><numFmts count="2"><numFmt numFmtId="44" formatCode="_(&quot;$&quot;* ` +
	`#,##0.00_);_(&quot;$&quot;* \(#,##0.00\);_(&quot;$&quot;* &quot;-&quot;??_);_(@_)"/><numFmt ` +
	`numFmtId="164" formatCode="[$-409]d\-mmm\-yy;@"/></numFmts>` +
	`<fonts count="1" x14ac:knownFonts="1" xmlns:x14ac="x"><font><sz val="11"/></font></fonts><cellStyleXfs ` +
	`count="1"><xf numFmtId="0" fontId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" ` +
	`fontId="0" xfId="0"/><xf numFmtId="164" xfId="0" applyNumberFormat="1"/><xf numFmtId="44" ` +
	`xfId="0" applyNumberFormat="1"/><xf numFmtId="49" xfId="0" applyNumberFormat="1"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" ` +
	`xfId="0" builtinId="0"/></cellStyles><dxfs count="1"><dxf><font><color rgb="FF006100"/>` +
	`</font></dxf></dxfs><extLst><ext uri="{EB79DEF2-80B8-43e5-95BD-54CBDDF9020C}"/></extLst></styleSheet>`

func excelCell(texts *sharedTexts, first time.Time, row, column int, value any) string {
	at := ref(row, column)
	switch v := value.(type) {
	case Number:
		digits := string(v)
		if v == "1.1" {
			digits = "1.1000000000000001" // the double, to the last of its digits
		}
		return fmt.Sprintf(`<c r="%s" s="2"><v>%s</v></c>`, at, digits)
	case Day:
		return fmt.Sprintf(`<c r="%s" s="1"><v>%d</v></c>`, at, serial(v, first))
	case string:
		return fmt.Sprintf(`<c r="%s" s="3" t="s"><v>%d</v></c>`, at, texts.number(v))
	}
	if row%2 == 0 {
		return fmt.Sprintf(`<c r="%s" s="3"/>`, at)
	}
	return ""
}

// excelItem writes a text in runs where it has two words, and with a phonetic
// guide where it is Chinese.
func excelItem(text string) string {
	one, other, two := strings.Cut(text, " ")
	switch {
	case strings.Contains(text, "鞋"):
		return plainItem(text) + `<rPh sb="17" eb="18"><t>くつ</t></rPh><phoneticPr fontId="1"/>`
	case two && !strings.Contains(text, "  "):
		return `<r><rPr><b/><sz val="11"/><color theme="1"/></rPr><t` + preserved(one) + `>` +
			escape(one) + `</t></r><r><rPr><sz val="11"/></rPr><t xml:space="preserve"> ` + escape(other) + `</t></r>`
	}
	return plainItem(text)
}

// strict writes ISO 29500 Strict: other namespaces, and days as text.
func strict() map[string]string {
	parts := excel(false)
	for name, content := range parts {
		content = strings.ReplaceAll(content, main, "http://purl.oclc.org/ooxml/spreadsheetml/main")
		parts[name] = strings.ReplaceAll(content, officeR, "http://purl.oclc.org/ooxml/officeDocument/relationships")
	}
	for _, day := range []Day{"2026-12-01", "2026-12-31", "2027-01-31"} {
		number := fmt.Sprintf(`s="1"><v>%d</v>`, serial(day, from1900))
		parts["xl/worksheets/sheet1.xml"] = strings.ReplaceAll(parts["xl/worksheets/sheet1.xml"],
			number, `s="1" t="d"><v>`+string(day)+`</v>`)
	}
	return parts
}

// openXML is excel with a prefix on every element, as the Open XML SDK writes.
func openXML() map[string]string {
	parts := excel(false)
	for name, content := range parts {
		if strings.HasPrefix(name, "xl/worksheets/") || name == "xl/sharedStrings.xml" {
			content = strings.Replace(content, ` xmlns="`, ` xmlns:x="`, 1)
			parts[name] = declaration +
				unprefixed.ReplaceAllString(strings.TrimPrefix(content, declaration), "<${1}x:$2$3")
		}
	}
	return parts
}
