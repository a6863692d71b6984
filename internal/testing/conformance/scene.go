package conformance

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strconv"
	"strings"
)

// The situations that rows start from.
var (
	aCampaign = post("/campaigns", campaign("Spring")).save("campaign", "id")
	anAdGroup = given(aCampaign, post("/ad_groups", adGroup("Runners")).save("group", "id"))
	aFile     = post("/upload", object{"image_url": "https://images.example.com/hero.png"}).save("file", "file_id")
	anAd      = given(anAdGroup, aFile, post("/ads", ad("Hero")).save("ad", "id"))
	// aLiveTree has an ad that serves once it is reviewed.
	aLiveTree = given(anAd, act("/ads/{ad}/activate"),
		act("/ad_groups/{group}/activate"), act("/campaigns/{campaign}/activate"))
	aPixel = post("/conversions/pixels", object{"name": "Shop", "client_type": "web"}).save("source",
		"id").save("pixel", "pixel_id")
	aSetting = given(aPixel, post("/conversions/event_settings", setting("Orders")).save("setting", "id"))
)

// campaign is a paused clicks campaign of 50 units a day.
func campaign(name string) object {
	return object{
		"name": name, "status": "paused", "bidding_type": "clicks",
		"budget": object{"daily_spend_limit_micros": 50_000_000},
	}
}

// impressions is a paused campaign that is billed per impression.
func impressions(name string) object { return set(campaign(name), "bidding_type", "impressions") }

// conversions is a paused campaign with the event setting {setting} as its goal.
func conversions(name string) object {
	return set(set(campaign(name), "bidding_type", "conversions"),
		"conversion_event_setting_ids", []string{"{setting}"})
}

// adGroup bids 1.25 units a click in {campaign}.
func adGroup(name string) object {
	return object{
		"campaign_id": "{campaign}", "name": name, "status": "paused",
		"bidding_config": object{"billing_event_type": "click", "strategy": "fixed_bid", "max_bid_micros": 1_250_000},
	}
}

// ad is a chat card in {group} with the image {file}.
func ad(name string) object {
	return object{"ad_group_id": "{group}", "name": name, "status": "paused", "creative": creative("Shoes for mud")}
}

func creative(title string) object {
	return object{
		"type": "chat_card", "title": title, "body": "Light and grippy.",
		"target_url": "https://shop.example.com/trail", "file_id": "{file}",
	}
}

func setting(name string) object {
	return object{
		"name": name, "event_type": "order_created", "attribution_window_days": 30, "source_ids": []string{"{source}"},
	}
}

// job is a bulk job's body.
func job(operations ...object) object { return object{"operations": operations} }

func create(kind, key string, input object) object {
	return object{"operation_id": "op-" + key, "type": kind, "idempotency_key": runID + key, "input": input}
}

func update(kind, target string, input object) object {
	return object{"operation_id": "update-" + target, "type": kind, "target_resource_id": target, "input": input}
}

func newCampaign(key string) object {
	return create("campaign.create", key, object{
		"name": "Bulk " + key, "max_budget_micros": 5_000_000, "billing_event_type": "click",
	})
}

// views is the create of a campaign with the defaults of bulk jobs.
func views(key string) object {
	return create("campaign.create", key, object{"name": "Bulk " + key, "max_budget_micros": 1_000_000})
}

func newAdGroup(key, campaign string) object {
	return create("ad_group.create", key, object{
		"campaign_idempotency_key": runID + campaign, "name": "Bulk " + key, "max_bid_micros": 700_000,
	})
}

func newAd(key, campaign, group string) object {
	return create("ad.create", key, object{
		"campaign_idempotency_key": runID + campaign,
		"ad_group_idempotency_key": runID + group, "title": "Bulk " + key, "body": "",
		"target_url":       "https://shop.example.com/" + key,
		"source_image_url": "https://images.example.com/" + key + ".png",
	})
}

// submit sends a job and saves its id as job.
func submit(body object) Step {
	return post("/bulk_mutation_jobs", body).save("job", "id")
}

// end asks for the job until it has ended, begun until it has begun.
func end() Step   { return jobAfter("pending", "in_progress") }
func begun() Step { return jobAfter("pending") }

func jobAfter(statuses ...string) Step {
	s := get("/bulk_mutation_jobs/{job}")
	s.While = statuses
	return s
}

// done are the steps of a job that is submitted and awaited.
func done(operations ...object) []Step { return given(submit(job(operations...)), end()) }

var results = get("/bulk_mutation_jobs/{job}/operations")

// The controls of an emulator.

func advance(seconds float64) Step {
	return post("/_emulator/clock", object{"advance_seconds": seconds})
}

// Seconds.
const (
	hour = 3_600
	day  = 24 * hour
)

func clockAt(time string) Step { return post("/_emulator/clock", object{"now": time}) }

func point(name, value string) Step { return post("/_emulator/open_points", object{name: value}) }

// without takes a feature from the account.
func without(name string) Step { return feature(name, false) }

func feature(name string, value any) Step {
	return post("/_emulator/accounts/{account}/features", object{name: value})
}

// signIn has the account's owner let a program in, and saves its token as token.
func signIn(scopes string) Step {
	return Step{Method: "POST", Path: "/_oauth/token", As: "usr_owner", scopes: scopes}.save("token", "access_token")
}

const (
	readScope  = "ads.admin.all.read"
	writeScope = "ads.admin.all.write"
	bothScopes = readScope + " " + writeScope
)

// chars is a text of n code points, two bytes each.
func chars(n int) string { return strings.Repeat("é", n) }

// ascii is a text of n bytes.
func ascii(n int) string { return strings.Repeat("x", n) }

func texts(n int, each string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(each, " ", i)
	}
	return all
}

func ids(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(1_000_000 + i)
	}
	return all
}

// Images.

func pngOf(w, h int) []byte {
	var b bytes.Buffer
	png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)))
	return b.Bytes()
}

func jpegOf(w, h int) []byte {
	var b bytes.Buffer
	jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)), nil)
	return b.Bytes()
}

func gifOf(w, h int) []byte {
	var b bytes.Buffer
	gif.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)), nil)
	return b.Bytes()
}

// webpOf is a whole lossless WebP image of one colour. Its pixels take no bits,
// so only the size in its header differs from that of a single pixel.
func webpOf(w, h int) []byte {
	data, _ := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	binary.LittleEndian.PutUint32(data[21:], uint32(w-1)|uint32(h-1)<<14|1<<28)
	return data
}

func itoa(n int) string { return strconv.Itoa(n) }
