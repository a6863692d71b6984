package web

import (
	"strings"
	"testing"
)

// Of days that were not read yet no figure is shown, not even 0; what campaigns are set to is.
func TestFiguresThatWereNotReadAreNotNought(t *testing.T) {
	a := ask(t, nil)
	a.desk.settings = threeSettings()
	page := text(t, a.get("/accounts/shoes/campaigns?span=2026-01-05..2026-01-07&col=status&col=spend&col=clicks"))
	sheet := text(t, a.get("/accounts/shoes/campaigns.csv?span=2026-01-05..2026-01-07&col=status&col=spend&col=clicks"))
	document := text(t, a.get("/api/v1/accounts/shoes/figures?level=campaign&span=2026-01-05..2026-01-07"))
	if !strings.Contains(page, "No figures of these days have been read yet") ||
		!strings.Contains(page, ">Hiking boots</a>") ||
		!strings.Contains(page, `<td class="left">active</td><td></td><td></td>`) {
		t.Errorf("the page has not what campaigns are set to, without figures:\n%s", page)
	}
	if !strings.Contains(sheet, ",active,,,") {
		t.Errorf("the sheet is\n%s", sheet)
	}
	for what, text := range map[string]string{"page": page, "sheet": sheet, "document": document} {
		if strings.Contains(text, ">0") || strings.Contains(text, ",0") || strings.Contains(text, `"spend":"`) {
			t.Errorf("the %s has figures that nobody read:\n%s", what, text)
		}
	}
}
