package emulatortest

import (
	"fmt"
	"testing"
	"time"
)

// Campaign makes a clicks campaign with a daily budget and gives its id.
func (s *Service) Campaign(t testing.TB, name string) string {
	t.Helper()
	return s.Must(t, "POST", "/campaigns", CampaignBody(name)).ID(t)
}

// CampaignBody is the body of a paused clicks campaign of 50 units a day.
func CampaignBody(name string) map[string]any {
	return map[string]any{
		"name": name, "status": "paused", "bidding_type": "clicks",
		"budget": map[string]any{"daily_spend_limit_micros": 50_000_000},
	}
}

// AdGroup makes an ad group with a fixed bid and gives its id.
func (s *Service) AdGroup(t testing.TB, campaignID, name string) string {
	t.Helper()
	return s.Must(t, "POST", "/ad_groups", AdGroupBody(campaignID, name)).ID(t)
}

// AdGroupBody is the body of a paused ad group that bids 1.25 units a click.
func AdGroupBody(campaignID, name string) map[string]any {
	return map[string]any{
		"campaign_id": campaignID, "name": name, "status": "paused",
		"bidding_config": map[string]any{
			"billing_event_type": "click", "strategy": "fixed_bid", "max_bid_micros": 1_250_000,
		},
	}
}

// File uploads an image by an address that is not fetched and gives its file_id.
func (s *Service) File(t testing.TB) string {
	t.Helper()
	r := s.Must(t, "POST", "/upload", `{"image_url":"https://images.example.com/hero.png"}`)
	id, _ := r.Map(t)["file_id"].(string)
	return id
}

// Ad makes an ad and gives its id.
func (s *Service) Ad(t testing.TB, adGroupID, name string) string {
	t.Helper()
	return s.Must(t, "POST", "/ads", AdBody(adGroupID, name, s.File(t))).ID(t)
}

// AdBody is the body of a paused chat card.
func AdBody(adGroupID, name, fileID string) map[string]any {
	return map[string]any{"ad_group_id": adGroupID, "name": name, "status": "paused", "creative": CreativeBody(fileID)}
}

// CreativeBody is a whole chat card.
func CreativeBody(fileID string) map[string]any {
	return map[string]any{
		"type": "chat_card", "title": "Shoes for mud", "body": "Light and grippy.",
		"target_url": "https://shop.example.com/trail", "file_id": fileID,
	}
}

// JobEnd asks for a bulk job until it has ended, and gives it. A test waits at
// most ten seconds of real time.
func (s *Service) JobEnd(t testing.TB, id string) map[string]any {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		job := s.Must(t, "GET", "/bulk_mutation_jobs/"+id, nil).Map(t)
		if status := fmt.Sprint(job["status"]); status != "pending" && status != "in_progress" {
			return job
		}
		select {
		case <-t.Context().Done():
		case <-time.After(2 * time.Millisecond):
		}
	}
	t.Fatalf("job %s has not ended after 10 s", id)
	return nil
}
