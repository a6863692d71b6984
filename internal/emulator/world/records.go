package world

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Status of a campaign, ad group or ad (interface, part 3).
type Status string

// The three statuses.
const (
	Active   Status = "active"
	Paused   Status = "paused"
	Archived Status = "archived"
)

// Profile is the ad account's own record.
type Profile struct {
	ID          string   `json:"id"`
	LegalName   string   `json:"legal_name"`
	AccountName string   `json:"account_name"`
	BrandName   string   `json:"brand_name"`
	URL         string   `json:"url"`
	FaviconID   string   `json:"favicon_file_id"`
	Currency    string   `json:"currency_code"`
	TimeZone    string   `json:"timezone"`
	Country     string   `json:"origin_country_code"`
	Status      Status   `json:"status"`
	Features    Features `json:"features"`
	BrandSince  int64    `json:"brand_since"` // Unix seconds of the last brand change; 0: reviewed long ago
	// serving issues the account has from elsewhere, such as ad_account_threshold_payment_failed
	Holds []string `json:"holds"`
}

// Features is what an account may use, and its limits. The zero value of a limit
// is the published one.
type Features struct {
	Bulk           bool     `json:"bulk"`
	BulkCPM        bool     `json:"bulk_cpm"` // max_cpm_bid_micros in bulk jobs
	Conversions    bool     `json:"conversions"`
	HotelReporting bool     `json:"hotel_reporting"`
	Postpaid       bool     `json:"postpaid"`
	SmallAudiences bool     `json:"small_audiences"`
	Brand          bool     `json:"brand"`
	LegacyTracking bool     `json:"legacy_tracking"`
	ProductFeeds   []string `json:"product_feeds"` // ids of feeds linked to the account
	MaxCampaigns   int      `json:"max_campaigns"` // not archived; 0: 5,000
	MaxAdGroups    int      `json:"max_ad_groups"`
	MaxAds         int      `json:"max_ads"`
}

// APIKey is a key bound to the account; the secret itself is not kept.
type APIKey struct {
	Hash      string `json:"hash"`
	Name      string `json:"name"`
	Actor     string `json:"actor"` // how logs name who uses it
	CreatedAt int64  `json:"created_at"`
	Revoked   bool   `json:"revoked"`
}

// NewAPIKey is the record of a secret.
func NewAPIKey(name, secret string, at int64) APIKey {
	hash := HashKey(secret)
	return APIKey{Hash: hash, Name: name, Actor: "key_" + hash[:12], CreatedAt: at}
}

// HashKey is what is kept of a secret.
func HashKey(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// CreateKey remembers which object a retry-safe create made.
type CreateKey struct {
	Via        string `json:"via"`      // header, or bulk
	Resource   string `json:"resource"` // campaign, ad_group, ad
	Key        string `json:"key"`
	ResourceID string `json:"resource_id"`
	BodySHA256 string `json:"body_sha256"`
	JobSHA256  string `json:"job_sha256"` // of the job's body, for bulk
	At         int64  `json:"at"`         // Unix milliseconds
}

func (k CreateKey) id() string { return CreateKeyID(k.Via, k.Resource, k.Key) }

// CreateKeyID is the id of a key's record.
func CreateKeyID(via, resource, key string) string { return via + "/" + resource + "/" + key }

// File is an uploaded image.
type File struct {
	ID        string `json:"id"`
	Purpose   string `json:"purpose"` // "" or account_favicon
	Format    string `json:"format"`  // jpeg, png, webp
	Width     int    `json:"width"`   // pixels
	Height    int    `json:"height"`
	Size      int    `json:"size"` // bytes
	SHA256    string `json:"sha256"`
	SourceURL string `json:"source_url"`
	CreatedAt int64  `json:"created_at"`
}

// EventSetting is a conversion event setting (interface, part 2).
type EventSetting struct {
	ID              string  `json:"id"`
	Name            string  `json:"name"`
	EventType       string  `json:"event_type"`
	CustomEventName *string `json:"custom_event_name"`
	WindowDays      int64   `json:"attribution_window_days"`
	SourceID        string  `json:"source_id"`
	Archived        bool    `json:"archived"`
	Version         int64   `json:"version"`
	CreatedAt       int64   `json:"created_at"`
}

// Pixel is a conversion source (interface, part 2).
type Pixel struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	ClientType string `json:"client_type"`
	PixelID    string `json:"pixel_id"`
	Inactive   bool   `json:"inactive"`
	CreatedAt  int64  `json:"created_at"`
}

// Raw is a part of a record that is kept as it was sent.
type Raw = json.RawMessage
