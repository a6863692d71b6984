package dialect

import (
	"fmt"
	"html"
	"strings"
	"time"
)

const declaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

// Namespaces as programs write them.
const (
	main    = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	officeR = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packR   = "http://schemas.openxmlformats.org/package/2006/relationships"
)

// escape writes a text as XML wants it.
func escape(text string) string {
	return strings.NewReplacer("&#34;", `"`, "&#39;", "'").Replace(html.EscapeString(text))
}

// preserved says that the spaces at the ends of a text count.
func preserved(text string) string {
	if strings.TrimSpace(text) != text || strings.ContainsAny(text, "\n\t") {
		return ` xml:space="preserve"`
	}
	return ""
}

// ref names a cell, both counted from 1.
func ref(row, column int) string { return fmt.Sprintf("%c%d", 'A'+column-1, row) }

// serial is the number workbooks store for a day.
func serial(day Day, first time.Time) int {
	date, err := time.Parse(time.DateOnly, string(day))
	if err != nil {
		panic(err)
	}
	return int(date.Sub(first).Hours() / 24)
}

var (
	from1900 = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	from1904 = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
)

// sharedTexts are numbered as they come.
type sharedTexts struct {
	texts []string
	uses  int
}

func (s *sharedTexts) number(text string) int {
	s.uses++
	for i, have := range s.texts {
		if have == text {
			return i
		}
	}
	s.texts = append(s.texts, text)
	return len(s.texts) - 1
}

// items writes the texts, each in the form of the program.
func (s *sharedTexts) items(form func(text string) string) string {
	var b strings.Builder
	for _, text := range s.texts {
		b.WriteString("<si>" + form(text) + "</si>")
	}
	return b.String()
}

func plainItem(text string) string { return "<t" + preserved(text) + ">" + escape(text) + "</t>" }

// tables writes the cells of every sheet. A value of nil has no cell unless the
// form gives one.
func tables(row func(number int, cells string) string, cell func(row, column int, value any) string) []string {
	var all []string
	for _, s := range Sheets {
		var b strings.Builder
		for i, values := range s.Rows {
			var cells strings.Builder
			for j, value := range values {
				cells.WriteString(cell(i+1, j+1, value))
			}
			b.WriteString(row(i+1, cells.String()))
		}
		all = append(all, b.String())
	}
	return all
}

// relationships writes a part of them; each is its type and its target.
func relationships(namespace string, list ...[2]string) string {
	b := declaration + `<Relationships xmlns="` + packR + `">`
	for i, r := range list {
		b += fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/%s" Target="%s"/>`, i+1, namespace, r[0], r[1])
	}
	return b + `</Relationships>`
}

// sheetList names the sheets in the workbook's part, from a relationship on.
func sheetList(form string, first int) string {
	b := ""
	for i, s := range Sheets {
		b += fmt.Sprintf(form, escape(s.Name), i+1, first+i)
	}
	return b
}

// contentTypes lists the parts by what they are.
func contentTypes(kinds map[string]string) string {
	b := declaration + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default ` +
		`Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default ` +
		`Extension="xml" ContentType="application/xml"/>`
	for part, kind := range kinds {
		b += `<Override PartName="/` +
			part + `" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.` + kind + `+xml"/>`
	}
	return b + `</Types>`
}

// usual are the types of the usual parts.
func usual() map[string]string {
	kinds := map[string]string{
		"xl/workbook.xml": "sheet.main", "xl/sharedStrings.xml": "sharedStrings", "xl/styles.xml": "styles",
	}
	for i := range Sheets {
		kinds[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)] = "worksheet"
	}
	return kinds
}
