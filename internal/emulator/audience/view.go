package audience

import (
	"time"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// The states of an audience (service facts 5).
const (
	ready    = "ready"
	tooSmall = "too_small"
	failed   = "failed"
	archived = "archived"
	making   = "processing" // shown by its stages, see stageOf
)

// stages are what an audience that is being made goes through, a quarter of the
// time each.
var stages = []string{"upload_pending", "processing", "rockset_ingest_pending", "publishing"}

// audienceView is an audience as the service shows it (service facts 8.1).
type audienceView struct {
	ID              string  `json:"id"`
	CreatedAt       int64   `json:"created_at"`
	UpdatedAt       int64   `json:"updated_at"`
	Name            string  `json:"name"`
	Description     *string `json:"description"`
	Status          string  `json:"status"`
	HashSpecVersion string  `json:"hash_spec_version"`
	Uploaded        string  `json:"uploaded_identifier_count_range"`
	Matched         string  `json:"matched_identifier_count_range"`
	Users           string  `json:"matched_user_count_range"`
	Invalid         string  `json:"invalid_identifier_count_range"`
	Revision        int64   `json:"membership_revision"`
}

// show is called inside View or Update.
func show(a *world.Account, d world.Audience, now time.Time, granular bool) audienceView {
	count := func(n int64, granular bool) string {
		if !d.Published {
			return "none"
		}
		return rangeOf(n, granular)
	}
	return audienceView{
		ID: d.ID, CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt, Name: d.Name, Description: d.Description,
		Status: stageOf(a, d, now), HashSpecVersion: "custom_audience_join_hash_v1",
		Uploaded: count(d.Uploaded, false), Matched: count(d.Matched, granular),
		Users: count(d.Users, granular), Invalid: count(d.Invalid, false), Revision: d.Revision,
	}
}

func stageOf(a *world.Account, d world.Audience, now time.Time) string {
	if d.Status != making {
		return d.Status
	}
	op, ok := underWay(a, d.ID)
	took := op.EndsAt - op.AcceptedAt
	if !ok || took <= 0 {
		return making
	}
	stage := max(0, min(3, (now.UnixMilli()-op.AcceptedAt)*4/took))
	return stages[stage]
}

// step is a range of counts, from its first number on.
type step struct {
	from int64
	name string
}

var (
	coarse = []step{{0, "under_25k"}, {25_000, "25k_100k"},
		{100_000, "100k_500k"}, {500_000, "500k_1m"}, {1_000_000, "1m_5m"}, {5_000_000, "5m_plus"}}
	// assumption: the names of the finer ranges are not published.
	fine = []step{
		{0, "under_25k"}, {25_000, "25k_100k"}, {100_000, "100k_200k"},
		{200_000, "200k_300k"}, {300_000, "300k_400k"}, {400_000, "400k_500k"},
		{500_000, "500k_750k"}, {750_000, "750k_1m"}, {1_000_000, "1m_2m"},
		{2_000_000, "2m_3m"}, {3_000_000, "3m_4m"}, {4_000_000, "4m_5m"}, {5_000_000, "5m_plus"},
	}
)

func rangeOf(n int64, granular bool) string {
	steps := coarse
	if granular {
		steps = fine
	}
	name := ""
	for _, s := range steps {
		if n >= s.from {
			name = s.name
		}
	}
	return name
}

// wantGranular reads matched_count_granularity, whose one published value is granular.
func wantGranular(c *service.Call) bool {
	return c.Query.Choice("matched_count_granularity", "", "granular") == "granular"
}

// operationView is a membership operation as the service shows it: nothing of
// what it does it to (service facts 8.2).
type operationView struct {
	ID         string `json:"operation_id"`
	AudienceID string `json:"custom_audience_id"`
	Kind       string `json:"operation"`
	Status     string `json:"status"`
}

func showOperation(o world.AudienceOperation) operationView {
	return operationView{ID: o.ID, AudienceID: o.AudienceID, Kind: o.Kind, Status: o.Status}
}
