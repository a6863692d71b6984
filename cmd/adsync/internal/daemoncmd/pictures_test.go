package daemoncmd

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/png"
	"log/slog"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/sources/config"
	"adsync/state/kv"
)

// TestPicturesOfAScheduledReport are those of the files that the daemon read last, and no other bytes.
func TestPicturesOfAScheduledReport(t *testing.T) {
	follow(t, false, time.Hour, func(f *followed) {
		var picture bytes.Buffer
		noError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 640, 640))))
		sum := sha256.Sum256(picture.Bytes())
		called := "sha256:" + hex.EncodeToString(sum[:])
		d := &daemonRun{log: slog.New(slog.DiscardHandler), hub: f.hub}
		of := func(name string) []byte {
			s, err := scheduled(d, config.Daemon{}, config.DaemonAccount{Name: config.Setting{Value: name}},
				&session.Env{}, config.Project{}, kv.Folder{Dir: t.TempDir()})
			noError(t, err)
			content, err := s.Picture(t.Context(), called)
			if (err == nil) != (content != nil) {
				t.Errorf("Picture = %d bytes, %v; want one of both", len(content), err)
			}
			return content
		}
		if content := of("shop"); content != nil {
			t.Errorf("before the files have it the picture has %d bytes", len(content))
		}
		f.save("images/a.png", picture.String())
		f.save("spring.yaml", springAt("50.00")+`ad_groups:
- key: g
  name: Group
  status: paused
  bid: {max: 0.50}
  context_hints: [{file: hints/a.txt}]
  ads:
  - {key: a, name: A, status: paused, title: A, body: B, target_url: "https://shop.example/a", image: images/a.png}
`)
		f.emit()
		f.pass(followedSettle + time.Hour)
		if content := of("shop"); !bytes.Equal(content, picture.Bytes()) {
			t.Errorf("the picture has %d bytes; want those of the file (%s)", len(content), f.last().Message)
		}
		if content := of("another"); content != nil {
			t.Errorf("an account that is not here has a picture of %d bytes", len(content))
		}
		f.save("images/a.png", picture.String()+"more")
		if content := of("shop"); content != nil {
			t.Errorf("another file has the picture, with %d bytes", len(content))
		}
	})
}
