package limits

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/emulatortest"
)

// What adsync reads, and what the service is sent, of so many of something. The bodies are
// written by hand: nothing of adsync makes them.

type object = map[string]any

func letters(n int) string { return strings.Repeat("a", n) }

// address is a URL of so many characters.
func address(n int) string {
	const host = "https://shop.example/"
	return host + letters(n-len(host))
}

// units are micros as people write them.
func units(micros int) string { return fmt.Sprintf("%d.%06d", micros/1_000_000, micros%1_000_000) }

// places are so many numbers, in quotes for YAML and the service alike.
func places(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%q", fmt.Sprint(2_000_000+i))
	}
	return strings.Join(all, ", ")
}

func ids(n int) []object {
	all := make([]object, n)
	for i := range all {
		all[i] = object{"id": fmt.Sprint(2_000_000 + i)}
	}
	return all
}

func picture(t *testing.T, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, 640))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func save(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

type files = func(t *testing.T, dir string, n int) string

func text(write func(n int) string) files {
	return func(_ *testing.T, _ string, n int) string { return write(n) }
}

// merged is YAML whose lines take the place of those that set the same.
func merged(lines, over string) string {
	var kept []string
	for _, line := range strings.SplitAfter(lines, "\n") {
		name, _, _ := strings.Cut(line, ":")
		if !strings.HasPrefix(over, name+":") || line == "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "") + over
}

func indented(lines, by string) string {
	return by + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n"+by) + "\n"
}

const (
	campaignLines = "name: Spring\nbidding_type: clicks\nbudget: {daily: 50.00}\n"
	groupLines    = "name: Runners\nbid: {max: 1.00}\n"
	adLines       = "title: Shoes\nbody: Light\ntarget_url: https://shop.example/\n" +
		"image: https://images.example/hero.png\n"
)

func campaignWith(over func(n int) string) files {
	return text(func(n int) string { return "kind: campaign\nkey: c\n" + merged(campaignLines, over(n)) })
}

func groupWith(over func(n int) string) files {
	return text(func(n int) string {
		return "kind: campaign\nkey: c\n" + campaignLines + "ad_groups:\n  - key: g\n" +
			indented(merged(groupLines, over(n)), "    ")
	})
}

func adWith(over func(n int) string) files {
	return text(func(n int) string {
		return "kind: campaign\nkey: c\n" + campaignLines + "ad_groups:\n  - key: g\n" +
			indented(groupLines, "    ") + "    ads:\n      - key: a\n" + indented(merged(adLines, over(n)), "        ")
	})
}

func windowWith(over func(n int) string) files {
	return text(func(n int) string {
		return "kind: spend_limit_window\nkey: w\nstart: 2027-01-01\nend: 2027-01-02\n" + over(n)
	})
}

// windowsYAML are so many windows, a day each.
func windowsYAML(n int) string {
	var b strings.Builder
	for i := range n {
		day := dayAhead(i).Format(time.DateOnly)
		fmt.Fprintf(&b, "---\nkind: spend_limit_window\nkey: w%d\namount: 5.00\nstart: %s\nend: %s\n", i, day, day)
	}
	return b.String()
}

func dayAhead(i int) time.Time { return time.Date(2090, 1, 1+2*i, 0, 0, 0, 0, time.UTC) }

// manyCampaigns, manyGroups and manyAds are a file of so many of a kind, in trees of one.
func manyCampaigns(_ *testing.T, _ string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\nkind: campaign\nkey: c%d\n%s", i,
			merged(campaignLines, fmt.Sprintf("name: Spring %d\n", i)))
	}
	return b.String()
}

func manyGroups(_ *testing.T, _ string, n int) string {
	var b strings.Builder
	b.WriteString("kind: campaign\nkey: c\n" + campaignLines + "ad_groups:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - key: g%d\n%s", i,
			indented(merged(groupLines, fmt.Sprintf("name: Runners %d\n", i)), "    "))
	}
	return b.String()
}

func manyAds(_ *testing.T, _ string, n int) string {
	var b strings.Builder
	b.WriteString("kind: campaign\nkey: c\n" + campaignLines + "ad_groups:\n  - key: g\n" +
		indented(groupLines, "    ") + "    ads:\n")
	for i := range n {
		fmt.Fprintf(&b, "      - key: a%d\n%s", i, indented(fmt.Sprintf("name: Hero %d\n", i)+adLines, "        "))
	}
	return b.String()
}

type ask = func(t *testing.T, s *emulatortest.Service, n int) int

func asks(path string, body func(n int) object) ask {
	return func(t *testing.T, s *emulatortest.Service, n int) int {
		return s.Do(t, "POST", path, body(n)).Status
	}
}

func asksCampaign(change func(campaign object, n int)) ask {
	return asks("/campaigns", func(n int) object {
		body := emulatortest.CampaignBody("Spring")
		change(body, n)
		return body
	})
}

func asksGroup(change func(group object, n int)) ask {
	return func(t *testing.T, s *emulatortest.Service, n int) int {
		body := emulatortest.AdGroupBody(s.Campaign(t, "Spring"), "Runners")
		change(body, n)
		return s.Do(t, "POST", "/ad_groups", body).Status
	}
}

func asksAd(change func(ad, creative object, n int)) ask {
	return func(t *testing.T, s *emulatortest.Service, n int) int {
		body := emulatortest.AdBody(s.AdGroup(t, s.Campaign(t, "Spring"), "Runners"), "Hero", s.File(t))
		change(body, body["creative"].(object), n)
		return s.Do(t, "POST", "/ads", body).Status
	}
}

func asksWindow(change func(window object, n int)) ask {
	return asks("/ad_account/spend_limit_windows", func(n int) object {
		body := object{"start_date": "2090-01-01", "end_date": "2090-01-02"}
		change(body, n)
		return body
	})
}

// asksWindows makes so many windows and returns the answer to the last.
func asksWindows(t *testing.T, s *emulatortest.Service, n int) (status int) {
	for i := range n {
		start := dayAhead(i)
		status = s.Do(t, "POST", "/ad_account/spend_limit_windows", object{
			"start_date": start.Format(time.DateOnly), "end_date": start.AddDate(0, 0, 1).Format(time.DateOnly),
			"amount_micros": 5_000_000,
		}).Status
	}
	return status
}

// asksMany makes so many of a kind, one after the other, and returns the answer to the last.
func asksMany(t *testing.T, s *emulatortest.Service, path string, n int, body func(i int) object) (status int) {
	for i := range n {
		status = s.Do(t, "POST", path, body(i)).Status
		if i < n-1 && status >= 300 {
			t.Fatalf("number %d of %d to %s is answered %d", i+1, n, path, status)
		}
	}
	return status
}

func asksManyCampaigns(t *testing.T, s *emulatortest.Service, n int) int {
	return asksMany(t, s, "/campaigns", n, func(i int) object {
		return emulatortest.CampaignBody(fmt.Sprint("Spring ", i))
	})
}

func asksManyGroups(t *testing.T, s *emulatortest.Service, n int) int {
	campaign := s.Campaign(t, "Spring")
	return asksMany(t, s, "/ad_groups", n, func(i int) object {
		return emulatortest.AdGroupBody(campaign, fmt.Sprint("Runners ", i))
	})
}

func asksManyAds(t *testing.T, s *emulatortest.Service, n int) int {
	group, file := s.AdGroup(t, s.Campaign(t, "Spring"), "Runners"), s.File(t)
	return asksMany(t, s, "/ads", n, func(i int) object {
		return emulatortest.AdBody(group, fmt.Sprint("Hero ", i), file)
	})
}

func upload(t *testing.T, s *emulatortest.Service, content []byte) int {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", filepath.Base("hero.png"))
	if err == nil {
		_, err = part.Write(content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.Do(t, "POST", "/upload", b.Bytes(), "Content-Type", form.FormDataContentType()).Status
}
