package pulls

import (
	"regexp"
	"strings"
	"testing"
)

// What people wrote does not lead a branch anywhere, and does not reach a forge as more than text.
func TestWhatPeopleCallFilesStaysText(t *testing.T) {
	safe := regexp.MustCompile(`^adsync/uploads-[a-z0-9_-]+-[0-9a-f]{12}$`)
	branches := map[string]string{}
	for _, s := range []Sent{
		{Path: "ads/spring.xlsx", By: "Ann Example"},
		{Path: "ads/spring.xlsx", By: "Bob Example"},
		{Path: "ads/summer.xlsx", By: "Ann Example"},
		{Path: "books/spring.xlsx", By: "Ann Example"},
		{Path: "ads/früh ling.xlsx", By: "Ünsal Ğ"},
		{Path: "ads/frühling.xlsx", By: "Ünsal Ğ"},
		{Path: "ads/..", By: "../../main"},
		{Path: "ads/-.lock", By: "refs/heads/main@{1}"},
		{Path: "ads/" + strings.Repeat("x", 190) + ".xlsx", By: strings.Repeat("ann ", 20)},
		{Path: "ads/a\n/close.xlsx", By: "@acme/everybody\n/approve", Note: "`x`\n/merge <b>@bob</b>"},
		{Path: "ads/[x](javascript:1).xlsx", By: "<script>alert(1)</script>", Note: "-->\n# Approved"},
	} {
		s.Uploads = "adsync/uploads"
		branch := s.branch("shop")
		if !safe.MatchString(branch) || len(branch) > 180 || strings.Contains(branch, "--") {
			t.Errorf("%q of %q is on %s; want letters, digits, - and _, not too many", s.Path, s.By, branch)
		}
		if branches[branch] != "" {
			t.Errorf("%q of %q is where %s is; want a branch of its own", s.Path, s.By, branches[branch])
		}
		branches[branch] = s.Path + " of " + s.By
		for line := range strings.Lines(s.text() + plain(s.Path+" "+s.By)) {
			if strings.HasPrefix(line, "/") || strings.HasPrefix(line, "#") {
				t.Errorf("%q says a line of its own: %q", s.Path, line)
			}
		}
		if title := plain(s.Path) + plain(s.By); strings.ContainsAny(title, "@<>`[]/\n") || len([]rune(title)) > 170 {
			t.Errorf("the title is %q; want no mark of a forge in it", title)
		}
	}
	one, same := Sent{Uploads: "adsync/uploads", Path: "spring.xlsx", By: "Ann"}, Sent{Uploads: "adsync/uploads",
		Path: "spring.xlsx", By: "ann", Note: "again"}
	if one.branch("shop") != same.branch("shop") || one.branch("shop") == one.branch("books") {
		t.Error("a person's file has not one branch an account")
	}
}
