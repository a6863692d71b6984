package reports

import (
	"context"
	"sync"

	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/cards"
	"adsync/internal/figures"
	"adsync/internal/report"
	"adsync/internal/resource"
	"adsync/sources/config"
)

// reading reads a picture of an account's files by the sum of its bytes, sha256:<hex>.
type reading func(ctx context.Context, sum string) ([]byte, error)

// picturesOf reads those of a folder, whose files it loads once one is wanted.
func picturesOf(env *session.Env, p config.Project) reading {
	var once sync.Once
	var l session.Loaded
	return func(ctx context.Context, sum string) ([]byte, error) {
		once.Do(func() { l = session.LoadRead(ctx, env, p, nil) })
		_, content, err := l.Desired.ReadImage(l.Project, sum)
		return content, err
	}
}

// drawn is whether a form shows pictures.
func drawn(form string) bool { return form == "html" || form == "xlsx" }

// mostSide is that of a picture in pixels; it is shown in half of them, and sharp where a screen has more.
const mostSide = 96

// ads are as they were applied last. What is not in the files, damaged or too large has no picture.
func (read reading) ads(ctx context.Context, applied *resource.Snapshot) func(id string) *report.Picture {
	ads := map[string]*resource.Resource{}
	if applied != nil {
		for r := range applied.All() {
			if string(r.Address.Kind) == figures.Levels[len(figures.Levels)-1] {
				ads[r.ID] = r
			}
		}
	}
	return func(id string) *report.Picture {
		ad := ads[id]
		if ad == nil {
			return nil
		}
		card, sum := runs.CardOf("", ad.Attributes)
		content, err := read(ctx, sum)
		if err != nil {
			return nil
		}
		small, err := cards.Thumbnail(content, card.Crop, mostSide)
		if err != nil {
			return nil
		}
		return &report.Picture{JPEG: small, Title: card.Title}
	}
}
