package sources_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// savedByEach are an export as each program saves it again.
func savedByEach(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	return map[string][]byte{
		"LibreOffice": savedBy(t, content, "LibreOffice"),
		"Gnumeric":    savedBy(t, content, "Gnumeric"),
		"openpyxl":    savedByOpenpyxl(t, content),
	}
}

// An export that another program saved says the same, is small, and has its drop-downs down to
// the end of the sheet.
func TestAnExportThatAnotherProgramSaved(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	content := withFigures(t, twoSpans())
	want := snapshotText(t, valid(t, load(t, performanceFolder(t, content))).Snapshot)
	for program, saved := range savedByEach(t, content) {
		t.Run(program, func(t *testing.T) {
			dir := performanceFolder(t, saved)
			if d := cmp.Diff(want, snapshotText(t, valid(t, load(t, dir)).Snapshot)); d != "" {
				t.Errorf("it says something else (-before +after):\n%s", d)
			}
			unzipped, ads := 0, ""
			for _, part := range partsOf(t, saved) {
				unzipped += len(part)
				if strings.Contains(part, ">choices_ad_status</formula1>") {
					ads = part
				}
			}
			if unzipped > 1<<20 {
				t.Errorf("it unzips to %d bytes; want at most 1 MiB", unzipped)
			}
			if !strings.Contains(ads, `sqref="D2:D1048576"`) {
				t.Error("the drop-down of Status does not reach the end of the sheet Ads")
			}
			names := map[string]string{}
			for _, n := range opened(t, saved).GetDefinedName() {
				names[n.Name] = strings.ReplaceAll(n.RefersTo, "'", "")
			}
			if got := names["names_campaign"]; got !=
				"OFFSET(Campaigns!$A$2,0,0,MAX(1,COUNTA(Campaigns!$A$2:$A$100001)),1)" {
				t.Errorf("the names of campaigns are %s; want those on their sheet", got)
			}
		})
	}
}
