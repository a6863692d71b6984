package tidy

import (
	"bytes"
	"context"
	"strings"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
	"adsync/sources/draft"
	"adsync/sources/yamlnode"
)

// fixBytes puts right what keeps a YAML file from being text: UTF-16, and tabs
// for indentation where every width of a tab gives the same.
func fixBytes(ctx context.Context, w *rewriter, r *Rewrite, content []byte) []byte {
	if bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")) {
		if text, fault := csvfile.Decode(content); fault == nil {
			r.Fixes = append(r.Fixes, Fix{
				Position: diag.InFile(r.File), Was: "UTF-16", Is: "UTF-8", Why: "the characters are the same",
			})
			content = []byte(strings.ReplaceAll(text.String(), "\r\n", "\n"))
		}
	}
	if spaced, ok := withoutTabs(ctx, w, r.File, content); ok {
		r.Fixes = append(r.Fixes, Fix{
			Position: diag.InFile(r.File), Was: "tabs for indentation",
			Is: "spaces", Why: "every width of a tab gives the same",
		})
		content = spaced
	}
	return content
}

// tabWidths are those editors have.
var tabWidths = []int{2, 4, 8}

func withoutTabs(ctx context.Context, w *rewriter, name string, content []byte) ([]byte, bool) {
	parser := &yamlnode.Walker{Origin: diag.OriginOf(name, "")}
	for range parser.Documents(content) {
		continue
	}
	if len(parser.Problems) == 0 || parser.Problems[0].Code != diag.Syntax {
		return nil, false
	}
	var first []byte
	meant := ""
	for i, width := range tabWidths {
		spaced := expandTabs(content, width)
		again := &yamlnode.Walker{Origin: diag.OriginOf(name, "")}
		for range again.Documents(spaced) {
			continue
		}
		said := draft.MeaningOf(w.read(ctx, name, spaced))
		if bytes.Equal(spaced, content) || len(again.Problems) > 0 || i > 0 && said != meant {
			return nil, false
		}
		if i == 0 {
			first, meant = spaced, said
		}
	}
	return first, true
}

// expandTabs makes spaces of the tabs lines begin with.
func expandTabs(content []byte, width int) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(content) {
		rest := bytes.TrimLeft(line, " \t")
		column := 0
		for _, c := range line[:len(line)-len(rest)] {
			if column++; c == '\t' {
				column += (width - column%width) % width
			}
		}
		b.WriteString(strings.Repeat(" ", column))
		b.Write(rest)
	}
	return b.Bytes()
}
