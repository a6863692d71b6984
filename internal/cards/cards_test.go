package cards

import (
	"strings"
	"testing"
)

// TestCardsSayNothingThatABrowserRuns: what an ad says is text, cut where the service
// cuts, and the card says who drew it. A part of a picture is shown in the place of the whole,
// where it is one.
func TestCardsSayNothingThatABrowserRuns(t *testing.T) {
	var b strings.Builder
	err := WriteHTML(&b, []Card{{
		Address: "ad/a<script>",
		Title:   strings.Repeat("x", 60) + "<script>",
		Body:    `"><img src=x onerror=alert(1)>`,
		Target:  "https://www.shop.example/<b>",
		Left:    "<i>no picture</i>", Live: "javascript:alert(1)", LiveEnds: "noon",
	}, {Address: "ad/b", Title: "Shoes", Body: "Light.", Target: "https://shop.example/",
		Picture: []byte("\x89PNG\r\n\x1a\n")}, {Address: "ad/c", Picture: []byte("<svg>")},
		{Address: "ad/d", Price: strings.Repeat("9", 101), Crop: `{"x":0.1,"y":0,"width":0.5,"height":0.8}`,
			Picture: []byte("\x89PNG\r\n\x1a\n")},
		{Address: "ad/e", Price: "<b>9", Crop: `{"x":0.6,"y":0,"width":0.5,"height":0.8}`,
			Picture: []byte("\xff\xd8\xff")}})
	if err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<script", "<img src=x", "<i>", "<b>n", `href="javascript:`, strings.Repeat("x", 50)} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, want := range []string{"drawn by adsync, cut where the service cuts", strings.Repeat("x", 49) + "…",
		"<small>shop.example</small>", `src="data:image/png;base64,iVBORw0KGgo="`, "default-src 'none'",
		"left out: it is no PNG", `<p class="price">` + strings.Repeat("9", 99) + "…</p>",
		`<p class="price">&lt;b&gt;9</p>`, `<svg viewBox="0.10000 0.00000 0.50000 0.80000"`,
		`<image href="data:image/png;base64,iVBORw0KGgo=" width="1" height="1"`,
		`<img src="data:image/jpeg;base64,/9j/"`, "where the service cuts, a part of the image"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}
