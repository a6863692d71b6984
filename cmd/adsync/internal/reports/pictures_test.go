package reports

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"time"

	"adsync/internal/insights"
	"adsync/internal/notify"
	"adsync/internal/report"
	"adsync/internal/resource"
	"adsync/internal/testing/figurestest"
)

// The picture of an ad is that of the files by its sum, as the ad was applied last. Without one there is none.
func TestPicturesOfAds(t *testing.T) {
	var whole bytes.Buffer
	if err := png.Encode(&whole, image.NewNRGBA(image.Rect(0, 0, 700, 640))); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"sha256:1": whole.Bytes(), "sha256:2": whole.Bytes()[:100]}
	read := reading(func(_ context.Context, sum string) ([]byte, error) {
		if content, known := files[sum]; known {
			return content, nil
		}
		return nil, errors.New("no file has it")
	})
	applied := &resource.Snapshot{}
	for id, image := range map[string]string{"ad_1": "sha256:1", "damaged": "sha256:2", "gone": "sha256:3",
		"elsewhere": "https://images.shop.example/summit.jpg", "none": ""} {
		var values resource.Attributes
		values.Set("title", resource.Text("Boots"))
		values.Set("image", resource.Text(image))
		applied.Put(&resource.Resource{Address: resource.Address{Kind: "ad", Key: id}, ID: id, Attributes: values})
		applied.Put(&resource.Resource{Address: resource.Address{Kind: "campaign", Key: id}, ID: "campaign_" + id})
	}
	of := read.ads(t.Context(), applied)
	has := of("ad_1")
	if has == nil || has.Title != "Boots" {
		t.Fatalf("the picture is %+v; want that of Boots", has)
	}
	small, err := jpeg.DecodeConfig(bytes.NewReader(has.JPEG))
	if err != nil || small.Width != 96 || small.Height != 96 || len(has.JPEG) > 4<<10 {
		t.Errorf("the picture has %d by %d pixels, %d bytes, %v", small.Width, small.Height, len(has.JPEG), err)
	}
	for _, id := range []string{"damaged", "gone", "elsewhere", "none", "campaign_ad_1", "unknown"} {
		if of(id) != nil {
			t.Errorf("%s has a picture; want none", id)
		}
	}
	if read.ads(t.Context(), nil)("ad_1") != nil {
		t.Error("without a record an ad has a picture")
	}
}

// What a mail names is with it, and a mail of Markdown carries none.
func TestAMailCarriesItsPictures(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	kept := figurestest.Kept(t, now, []string{"Boots"}, func(int, int) map[string]string {
		return map[string]string{"spend": "10.00", "impressions": "1000", "clicks": "50", "conversions": "1"}
	})
	made, err := report.Make(report.Facts{Now: now, Span: insights.Span{From: "2026-11-16", To: "2026-11-22"},
		Kept: kept, Picture: func(string) *report.Picture {
			return &report.Picture{JPEG: []byte("\xff\xd8\xff"), Title: "Boots"}
		}})
	if err != nil {
		t.Fatal(err)
	}
	mail, err := (&place{Destination: notify.Destination{Form: notify.Email}, format: "html"}).carried(made)
	if err != nil || len(mail.Embedded) != 1 {
		t.Fatalf("the mail carries %d pictures, %v; want 1", len(mail.Embedded), err)
	}
	if e := mail.Embedded[0]; e.Type != "image/jpeg" || !strings.Contains(mail.HTML, `src="cid:`+e.Name+`@adsync"`) {
		t.Errorf("the mail names no %s of the type %s", e.Name, e.Type)
	}
	text, err := (&place{Destination: notify.Destination{Form: notify.Email}, format: "markdown"}).carried(made)
	if err != nil || len(text.Embedded) != 0 || strings.Contains(text.Text, "cid:") {
		t.Errorf("a mail of Markdown carries %d pictures, %v", len(text.Embedded), err)
	}
}
