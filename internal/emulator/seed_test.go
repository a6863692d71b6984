package emulator_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

func TestReadSeedExample(t *testing.T) {
	file, err := os.Open("testdata/seed.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, err := emulator.ReadSeed(file)
	if err != nil {
		t.Fatal(err)
	}
	features := emulator.AllFeatures()
	features.ProductFeeds = []string{"fd_spring_catalogue"}
	want := emulator.Seeds{
		Accounts: []emulator.Account{{
			ID: "adacct_spring", Name: "Spring Outdoor Inc.",
			Currency: "USD", TimeZone: "America/New_York", Key: "sk-spring-agent", Features: features,
			Particulars: emulator.Particulars{
				BrandName: "Spring", URL: "https://spring.example.com", Country: "US",
				Keys: []emulator.APIKey{{Name: "a colleague", Key: "sk-spring-colleague"}},
			},
		}, {
			ID: "adacct_small", Name: "Petit Atelier SARL", Currency: "EUR", TimeZone: "Europe/Paris", Key: "sk-small",
			Features:    emulator.Features{LegacyTracking: true, MaxCampaigns: 3, MaxAdGroups: 10, MaxAds: 20},
			Particulars: emulator.Particulars{Status: "paused", Holds: []string{"ad_account_threshold_payment_failed"}},
		}},
		Users: []emulator.User{
			{ID: "usr_ada", Name: "Ada", AccountIDs: []string{"adacct_spring", "adacct_small"}, Partner: true},
			{ID: "usr_bo", Name: "Bo", AccountIDs: []string{"adacct_small"}},
		},
		Clients: []emulator.Client{{ID: "adsync", Name: "adsync",
			RedirectURIs: []string{"http://127.0.0.1/callback", "http://localhost/callback"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ReadSeed(testdata/seed.json) (-want +got):\n%s", diff)
	}
}

func TestASeededEmulatorServesItsAccounts(t *testing.T) {
	text, err := os.ReadFile("testdata/seed.json")
	if err != nil {
		t.Fatal(err)
	}
	seeds, err := emulator.ReadSeed(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	s := emulatortest.Start(t, seeds.Into)
	for key, want := range map[string]string{
		"sk-spring-agent": "Spring", "sk-spring-colleague": "Spring", "sk-small": "Petit Atelier SARL",
	} {
		got := s.Must(t, "GET", "/ad_account", nil, "Authorization", "Bearer "+key).Map(t)
		if got["brand_name"] != want {
			t.Errorf("brand of the account of %s = %v, want %s", key, got["brand_name"], want)
		}
	}
	small := []string{"Authorization", "Bearer sk-small"}
	if got := s.Must(t, "GET", "/ad_account", nil, small...).Map(t)["status"]; got != "paused" {
		t.Errorf("status of the small account = %v, want paused", got)
	}
	expect(t, "bulk without the feature", s.Do(t, "POST", "/bulk_mutation_jobs", job(campaignOp("k")), small...),
		refusal{404, "not_found", ""})
	for range 3 {
		s.Must(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"), small...)
	}
	expect(t, "campaign 4 of 3", s.Do(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"), small...),
		bad("campaign_limit_reached", ""))
	bo := append(login(t, s, "usr_bo", readScope), "OpenAI-Ad-Account", "adacct_spring")
	expect(t, "Bo in the account of others", s.Do(t, "GET", "/ad_account", nil, bo...),
		refusal{403, "permission_denied", ""})
}

func TestReadSeedSaysWhere(t *testing.T) {
	const account = "{\"accounts\": [{\n  \"id\": \"a\", " +
		"\"name\": \"A\", \"currency_code\": \"USD\", \"timezone\": \"UTC\",\n  \"api_keys\": [{\"key\": \"k\"}]\n}]}"
	change := func(from, to string) string {
		if !strings.Contains(account, from) {
			t.Fatalf("the row changes %q, which is not there", from)
		}
		return strings.Replace(account, from, to, 1)
	}
	rows := []struct{ name, text, want string }{
		{"nothing", "", "seed file:1:1: the text ends too early; want one JSON object"},
		{"an array", "[]", "seed file:1:1: The body is not one JSON object: it does not start with {"},
		{"cut off", account[:40], "seed file:2:25: the text ends too early; want one JSON object"},
		{"a comma too many", change(`"UTC",`, `"UTC",,`),
			"seed file:2:69: invalid character ',' looking for beginning of object key string"},
		{"a wrong letter within a value", change(`"UTC"`, `nuLl`),
			"seed file:2:65: invalid character 'L' in literal null (expecting 'l')"},
		{"more after the end", account + "{}", "seed file:4:4: invalid character '{' after top-level value"},
		{"no accounts", `{}`, "seed file:1:1: Missing required parameter: 'accounts'"},
		{"unknown field", change(`"name"`, `"nmae": 1, "name"`),
			"seed file:2:14: Unknown parameter: 'accounts[0].nmae'"},
		{"another case", change(`"name"`, `"Name"`), "seed file:1:15: " +
			"Missing required parameter: 'accounts[0].name'\nseed file:2:14: Unknown parameter: 'accounts[0].Name'"},
		{"a field twice", change(`"name"`, `"id": "b", "name"`),
			`seed file:2:14: field "id" is there twice; want it once`},
		{"a wrong type", change(`"UTC"`, `7`),
			"seed file:2:51: Invalid type for 'accounts[0].timezone': expected a string, but got 7 instead"},
		{"no such zone", change(`"UTC"`, `"Mars/Base"`),
			`seed file:2:51: accounts[0].timezone is "Mars/Base"; want an IANA name such as Europe/Paris`},
		{"no currency", change(`"USD"`, `"usd"`),
			`seed file:2:27: accounts[0].currency_code is "usd"; want three capital letters such as USD`},
		{"no key", change(`[{"key": "k"}]`, `[]`), "seed file:3:3: Invalid 'accounts[0].api_keys': " +
			"array too short. Expected an array with minimum length 1, but got an array with length 0 instead"},
		{"a key twice", change(`{"key": "k"}`, `{"key": "k"}, {"key": "k"}`), "seed file:3:31: " +
			"accounts[0].api_keys[1].key is the same key as at accounts[0].api_keys[0].key; want another one"},
		{"an unknown feature", change(`"api_keys"`, `"features": {"bulks": true}, "api_keys"`),
			"seed file:3:16: Unknown parameter: 'accounts[0].features.bulks'"},
		{"a feature that is text", change(`"api_keys"`, `"features": {"bulk": "yes"}, "api_keys"`),
			`seed file:3:16: Invalid type for 'accounts[0].features.bulk': expected a boolean, but got "yes" instead`},
		{"a limit of nothing", change(`"api_keys"`, `"features": {"max_ads": 0}, "api_keys"`),
			"seed file:3:16: Invalid " +
				"'accounts[0].features.max_ads': " +
				"integer below minimum value. Expected a value >= 1, but got 0 instead"},
		{"an unknown hold", change(`"api_keys"`, `"holds": ["x"], "api_keys"`), `seed file:3:13: ` +
			`Invalid 'accounts[0].holds[0]': "x" is no serving issue of accounts; want one of ad_account_suspended, ` +
			`ad_account_payment_method_missing_or_unauthorized, ad_account_threshold_payment_failed, ` +
			`ad_account_persona_verification_not_approved, ad_account_persona_verification_step_up_required`},
		{"a user of another account",
			change("\n}]}", "\n}], \"users\": [{\"id\": \"usr_a\", \"name\": \"A\", \"ad_accounts\": [\"b\"]}]}"),
			`seed file:4:60: Invalid 'users[0].ad_accounts[0]': no account of this file has the id "b"`},
		{"a user without the prefix", change("\n}]}", "\n}], \"users\": [{\"id\": \"ada\", \"name\": \"A\", "+
			"\"ad_accounts\": []}]}"), `seed file:4:16: users[0].id is "ada"; want usr_ and letters, digits, _ and -`},
	}
	for _, row := range rows {
		_, err := emulator.ReadSeed(strings.NewReader(row.text))
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: ReadSeed = %v\nwant %s", row.name, err, row.want)
		}
	}
}

func TestReadSeedSaysAllThatIsWrong(t *testing.T) {
	const text = `{"users": [{"id": "ada", "name": "A", "ad_accounts": ["a", "c", "d"]}],
  "accounts": [
    {"id": "a", "id": "b", "name": 7, "currency_code": "usd", "timezone": "Mars/Base", "api_keys": [{"key": "k"}]},
    5,
    {"id": "a", "name": "A", "currency_code": "USD", "timezone": "UTC", "api_keys": [{"key": "k"}], "features": {"bulks": true}}]}`
	const want = `seed file:1:13: users[0].id is "ada"; want usr_ and letters, digits, _ and -
seed file:1:60: Invalid 'users[0].ad_accounts[1]': no account of this file has the id "c"
seed file:1:65: Invalid 'users[0].ad_accounts[2]': no account of this file has the id "d"
seed file:3:17: field "id" is there twice; want it once
seed file:3:28: Invalid type for 'accounts[0].name': expected a string, but got 7 instead
seed file:3:39: accounts[0].currency_code is "usd"; want three capital letters such as USD
seed file:3:63: accounts[0].timezone is "Mars/Base"; want an IANA name such as Europe/Paris
seed file:4:5: Invalid type for 'accounts[1]': expected an object, but got 5 instead
seed file:5:87: accounts[2].api_keys[0].key is the same key as at accounts[0].api_keys[0].key; want another one
seed file:5:114: Unknown parameter: 'accounts[2].features.bulks'`
	_, err := emulator.ReadSeed(strings.NewReader(text))
	if err == nil {
		t.Fatal("ReadSeed = nil, want its problems")
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func FuzzReadSeed(f *testing.F) {
	text, err := os.ReadFile("testdata/seed.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(`{"accounts":[{"id":"a","id":"b"}]}`)
	f.Add("{\"accounts\": [")
	f.Fuzz(func(t *testing.T, text string) {
		seeds, err := emulator.ReadSeed(strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "seed file:") {
				t.Errorf("ReadSeed(%q) = %v, want a position", text, err)
			}
			return
		}
		if len(seeds.Accounts) == 0 {
			t.Errorf("ReadSeed(%q) accepts a file without accounts", text)
		}
	})
}
