package reconcile_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"testing"

	"adsync/state"
)

// testImage is a picture the service takes: 640 by 640.
func testImage(t *testing.T) []byte {
	t.Helper()
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, 640, 640))); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

// An interrupt while an image is uploaded blames no row: the file that came is kept, and
// what was not uploaded any more was not reached.
func TestAnInterruptedUploadFailsNoRow(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	first := testImage(t)
	other := image.NewGray(image.Rect(0, 0, 640, 640))
	other.Set(1, 1, color.White)
	var second bytes.Buffer
	if err := png.Encode(&second, other); err != nil {
		t.Fatal(err)
	}
	for key, content := range map[string][]byte{"b": first, "c": second.Bytes()} {
		w.write("ad/spring/g/"+key, map[string]any{
			"name": "Ad " + key, "status": "active", "title": "Shoes for mud",
			"body": "Light shoes.", "target_url": "https://shop.example/" + key, "image": w.image(content),
		})
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		answer, err := send(r)
		if posts(r, "upload") {
			interrupt()
		}
		return answer, err
	}), w.store)
	report, err := w.agent.Apply(ctx, w.plan())
	if err == nil || ctx.Err() == nil {
		t.Fatalf("Apply = %v; want it interrupted", err)
	}
	for _, o := range report.Outcomes {
		if o.Outcome != state.OutcomeSkipped {
			t.Errorf("%s: %s: %s (%s); want it skipped", o.Address, o.Outcome, o.Message, o.Code)
		}
	}
	if files, err := w.store.Files(t.Context()); err != nil || len(files) != 1 {
		t.Errorf("%d images remembered, %v; want the one that came", len(files), err)
	}
	w.agent = w.newAgent()
	w.clean()
}
