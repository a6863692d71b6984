package emulator

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/internal/emulator/account"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Seeds is what a seed file says: the accounts, the users who reach them, and
// the programs that users may let in. testdata/seed.json is an example.
type Seeds struct {
	Accounts []Account
	Users    []User
	Clients  []Client
}

// User is a person who may act in some ad accounts; see world.User.
type User = world.User

// Client is a program that users may let in; see world.OAuthClient.
type Client = world.OAuthClient

// Particulars are what a seeded account may have beyond its essentials.
type Particulars struct {
	LegalName, AccountName, BrandName string // "": Account.Name
	URL, Country                      string
	Status                            world.Status // "": active
	// serving issues the account has, such as ad_account_threshold_payment_failed
	Holds []string
	Keys  []APIKey // beside Account.Key
}

// APIKey is a further key of a seeded account.
type APIKey struct{ Name, Key string }

// Into makes the seeds those of an emulator.
func (s Seeds) Into(o *Options) { o.Accounts, o.Users, o.Clients = s.Accounts, s.Users, s.Clients }

// maxSeed bounds a seed file, bytes.
const maxSeed = 16 << 20

// ReadSeed reads a seed file: one JSON object with accounts, and if wanted users
// and oauth_clients. It refuses unknown and repeated fields, wrong types, ids and
// keys that occur twice, and users of unknown accounts; the error has a line for
// every problem, in the order of the file, which says where, as file:line:column,
// if r has a name, and what is wanted. Of a text that is no JSON it names the first.
func ReadSeed(r io.Reader) (Seeds, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSeed+1))
	if err != nil {
		return Seeds{}, fmt.Errorf("read seed file: %w", err)
	}
	name := "seed file"
	if file, ok := r.(interface{ Name() string }); ok {
		name = file.Name()
	}
	if len(text) > maxSeed {
		return Seeds{}, fmt.Errorf("%s: file is larger than %d bytes", name, maxSeed)
	}
	seeds, problems := placedSeeds(text)
	var lines []error
	for _, p := range problems {
		lines = append(lines, fmt.Errorf("%s:%s: %s", name, position(text, p.offset), p.message))
	}
	if len(lines) > 0 {
		return Seeds{}, errors.Join(lines...)
	}
	return seeds, nil
}

// placedSeeds reads the text and says where each problem is, in its order.
func placedSeeds(text []byte) (Seeds, []misplaced) {
	places, problems, readable := placesOf(text)
	if !readable {
		return Seeds{}, problems
	}
	seeds, wrong := parseSeeds(text)
	for _, e := range wrong {
		problems = append(problems, misplaced{places.of(e.Param), strings.TrimSuffix(e.Message, ".")})
	}
	slices.SortStableFunc(problems, func(a, b misplaced) int { return cmp.Compare(a.offset, b.offset) })
	return seeds, problems
}

func parseSeeds(text []byte) (s Seeds, problems []*wire.Error) {
	o, wrong := wire.ParseObject(text)
	if wrong != nil {
		return s, []*wire.Error{wrong}
	}
	o.Require("accounts")
	r := seedReader{seen: map[string]string{}}
	for _, each := range o.Objects("accounts", 1, 1000).V {
		s.Accounts = append(s.Accounts, r.account(each))
	}
	for _, each := range o.Objects("users", 0, 10_000).V {
		s.Users = append(s.Users, r.user(each, s.Accounts))
	}
	for _, each := range o.Objects("oauth_clients", 0, 1000).V {
		s.Clients = append(s.Clients, r.client(each))
	}
	return s, o.Problems()
}

// seedReader reads the parts of a seed file and remembers what must not occur twice.
type seedReader struct{ seen map[string]string }

// The forms of names in a seed file.
var (
	accountID = form(`^[A-Za-z0-9_-]{1,128}$`)
	userID    = form(`^usr_[A-Za-z0-9_-]{1,124}$`)
	clientID  = form(`^[A-Za-z0-9._-]{1,128}$`)
	currency  = form(`^[A-Z]{3}$`)
	country   = form(`^[A-Z]{2}$`)
)

func form(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// text takes a field that must match a form; want says it in words.
func (r seedReader) text(o *wire.Object, field string, form func() *regexp.Regexp, want string) string {
	v := o.Text(field, 0, 0)
	if v.Given() && !form().MatchString(v.V) {
		o.Fail(field, "invalid_value", "%s is %q; want %s", o.At(field), v.V, want)
	}
	return v.V
}

// once refuses a value that occurred before.
func (r seedReader) once(o *wire.Object, field, kind, value string) {
	if first, taken := r.seen[kind+value]; taken {
		o.Fail(field, "invalid_value", "%s is the same %s as at %s; want another one", o.At(field), kind, first)
	}
	r.seen[kind+value] = o.At(field)
}

func (r seedReader) account(o *wire.Object) Account {
	o.Require("id", "name", "currency_code", "timezone", "api_keys")
	a := Account{
		ID: r.text(o, "id", accountID, "letters, digits, _ and -"), Name: o.Name("name", 1, 1000).V,
		Currency: r.text(o, "currency_code", currency, "three capital letters such as USD"), TimeZone: readZone(o),
		Particulars: Particulars{
			LegalName:   o.Name("legal_name", 1, 1000).V,
			AccountName: o.Name("account_name", 1, 1000).V, BrandName: o.Name("brand_name", 1, 1000).V,
			URL: readSeedURL(o), Country: r.text(o, "origin_country_code", country, "two capital letters such as US"),
			Status: world.Status(o.Choice("status", "active", "paused").V),
			Holds:  o.Texts("holds", 0, 0, checkHold).V,
		},
	}
	r.once(o, "id", "account id", a.ID)
	for i, each := range o.Objects("api_keys", 1, 1000).V {
		each.Require("key")
		k := APIKey{Name: each.Name("name", 1, 1000).Or("seed"), Key: each.Name("key", 1, 1000).V}
		r.once(each, "key", "key", k.Key)
		if i == 0 {
			a.Key = k.Key
			continue
		}
		a.Keys = append(a.Keys, k)
	}
	if features, _ := o.Object("features"); features != nil {
		readFeatures(features, &a.Features)
	}
	return a
}

func readZone(o *wire.Object) string {
	v := o.Text("timezone", 1, 100)
	if _, err := time.LoadLocation(v.V); v.Given() && (err != nil || v.V == "Local") {
		o.Fail("timezone", "invalid_value", "%s is %q; want an IANA name such as Europe/Paris", o.At("timezone"), v.V)
	}
	return v.V
}

func readSeedURL(o *wire.Object) string {
	v := o.Text("url", 1, 2048)
	if u, err := url.Parse(v.V); v.Given() &&
		(err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https")) {
		o.Fail("url", "invalid_value", "%s is %q; want an HTTP or HTTPS address", o.At("url"), v.V)
	}
	return v.V
}

func checkHold(code string) error {
	if slices.Contains(account.Holds, code) {
		return nil
	}
	return fmt.Errorf("%q is no serving issue of accounts; want one of %s", code, strings.Join(account.Holds, ", "))
}

// readFeatures takes what an account may use; what is not named stays as it is.
func readFeatures(o *wire.Object, f *Features) {
	for _, each := range []struct {
		name    string
		feature *bool
	}{
		{"bulk", &f.Bulk}, {"bulk_cpm", &f.BulkCPM},
		{"conversions", &f.Conversions}, {"hotel_reporting", &f.HotelReporting},
		{"postpaid", &f.Postpaid}, {"small_audiences", &f.SmallAudiences},
		{"brand", &f.Brand}, {"legacy_tracking", &f.LegacyTracking},
	} {
		*each.feature = o.Bool(each.name).Or(*each.feature)
	}
	for _, each := range []struct {
		name  string
		limit *int
	}{{"max_campaigns", &f.MaxCampaigns}, {"max_ad_groups", &f.MaxAdGroups}, {"max_ads", &f.MaxAds}} {
		*each.limit = int(o.Int(each.name, 1, 1<<31).Or(int64(*each.limit)))
	}
	if feeds := o.Texts("product_feeds", 0, 1000, nil); feeds.Given() {
		f.ProductFeeds = feeds.V
	}
}

// over is the profile with what is given.
func (p Particulars) over(base world.Profile) world.Profile {
	for _, each := range []struct {
		field *string
		value string
	}{
		{&base.LegalName, p.LegalName}, {&base.AccountName, p.AccountName}, {&base.BrandName, p.BrandName},
		{&base.URL, p.URL}, {&base.Country, p.Country}, {(*string)(&base.Status), string(p.Status)},
	} {
		if each.value != "" {
			*each.field = each.value
		}
	}
	base.Holds = p.Holds
	return base
}

// people are the users and clients of an emulator. Without any in the options,
// one user owns every account, and adsync may be let in.
func (o Options) people() ([]User, []Client) {
	users, clients := o.Users, o.Clients
	if len(users) == 0 {
		owner := User{ID: "usr_owner", Name: "Account owner", Partner: true}
		for _, a := range o.Accounts {
			owner.AccountIDs = append(owner.AccountIDs, a.ID)
		}
		users = []User{owner}
	}
	if len(clients) == 0 {
		clients = []Client{{ID: "adsync", Name: "adsync",
			RedirectURIs: []string{"http://127.0.0.1/callback", "http://localhost/callback"}}}
	}
	return users, clients
}

func (r seedReader) user(o *wire.Object, accounts []Account) User {
	o.Require("id", "name", "ad_accounts")
	known := func(id string) error {
		if len(accounts) == 0 || slices.ContainsFunc(accounts, func(a Account) bool { return a.ID == id }) {
			return nil
		}
		return fmt.Errorf("no account of this file has the id %q", id)
	}
	u := User{
		ID:   r.text(o, "id", userID, "usr_ and letters, digits, _ and -"),
		Name: o.Name("name", 1, 1000).V, AccountIDs: o.Texts("ad_accounts", 0, 1000, known).V,
		Partner: o.Bool("partner").V,
	}
	r.once(o, "id", "user id", u.ID)
	return u
}

func (r seedReader) client(o *wire.Object) Client {
	o.Require("client_id", "name", "redirect_uris")
	address := func(text string) error {
		if u, err := url.Parse(text); err != nil || u.Scheme == "" || u.Host == "" || u.Fragment != "" {
			return fmt.Errorf("%q is no address to send users to; want one such as http://127.0.0.1/callback", text)
		}
		return nil
	}
	c := Client{
		ID:   r.text(o, "client_id", clientID, "letters, digits, . _ and -"),
		Name: o.Name("name", 1, 1000).V, RedirectURIs: o.Texts("redirect_uris", 1, 100, address).V,
	}
	r.once(o, "client_id", "client id", c.ID)
	return c
}
