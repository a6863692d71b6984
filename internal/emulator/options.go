package emulator

import (
	"fmt"
	"log/slog"
	"time"

	"adsync/internal/emulator/fault"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// Account seeds one ad account. Key is an API key bound to it.
type Account struct {
	ID, Name, Currency, TimeZone, Key string
	Features                          Features
	Particulars
}

// Features of an account; see world.Features. AllFeatures has everything.
type Features = world.Features

// AllFeatures is an account with every feature and the published limits.
func AllFeatures() Features {
	return Features{
		Bulk: true, BulkCPM: true, Conversions: true, HotelReporting: true,
		Postpaid: true, SmallAudiences: true, Brand: true,
	}
}

// Options of an emulator. The zero value is one in memory without accounts.
type Options struct {
	Dir        string                 // data folder; "" keeps everything in memory
	Accounts   []Account              // seeded when the store does not have them yet
	Now        func() time.Time       // nil: time.Now; the drivable clock sits on top
	Logger     *slog.Logger           // nil: silent
	Seed       uint64                 // makes the ids
	OpenPoints *openpoint.Settings    // nil: the default of every row
	Faults     []fault.Fault          // armed from the start
	Hooks      *service.Hooks         // of a test, below the faults; nil: none
	Limits     RateLimits             // zero: the published ones
	Review     Review                 // zero: approved after a minute
	Images     func(path string) bool // reports image URLs that answer 404; nil: paths containing /missing/
	// AudienceFile bounds an uploaded audience file, bytes; 0 is the published bound.
	AudienceFile int64
	// Users and Clients of the authorization server; nil: one user who owns every account, and adsync.
	Users   []User
	Clients []Client
	// Observe sees every answer of a route before faults do, from many requests at once; nil: nobody does.
	Observe func(*service.Call, service.Response)
}

// RateLimits per ad account. 0 is the published value, a negative one no limit.
type RateLimits struct {
	EndpointPerMinute int // 600
	OverallPerMinute  int // 1,200
	BulkPer10Seconds  int // 10
}

// Review of ads.
type Review = world.Review

func (o *Options) fill() {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.OpenPoints == nil {
		o.OpenPoints = openpoint.Defaults()
	}
	o.Limits.EndpointPerMinute = orPublished(o.Limits.EndpointPerMinute, 600)
	o.Limits.OverallPerMinute = orPublished(o.Limits.OverallPerMinute, 1200)
	o.Limits.BulkPer10Seconds = orPublished(o.Limits.BulkPer10Seconds, 10)
	if o.Review.Delay == 0 {
		o.Review.Delay = time.Minute
	}
}

func orPublished(n, published int) int {
	if n == 0 {
		return published
	}
	return n
}

func (a Account) profile() (world.Profile, error) {
	if a.ID == "" || a.Key == "" {
		return world.Profile{}, fmt.Errorf("seed account %q: id and key must not be empty", a.ID)
	}
	if _, err := time.LoadLocation(a.TimeZone); err != nil {
		return world.Profile{}, fmt.Errorf("seed account "+
			"%s: time zone is %q; want an IANA name such as Europe/Paris: %w", a.ID, a.TimeZone, err)
	}
	if len(a.Currency) != 3 {
		return world.Profile{}, fmt.Errorf("seed account %s: currency is %q; want a code such as USD", a.ID, a.Currency)
	}
	return a.Particulars.over(world.Profile{
		ID: a.ID, LegalName: a.Name, AccountName: a.Name, BrandName: a.Name,
		URL: "https://www.example.com", Currency: a.Currency, TimeZone: a.TimeZone,
		Status: world.Active, Features: a.Features,
	}), nil
}
