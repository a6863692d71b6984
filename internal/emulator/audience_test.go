package emulator_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/emulator/population"
	"adsync/internal/testing/emulatortest"
)

func TestAudienceCreate(t *testing.T) {
	w := newCrowd(t)
	text := people(population.Email, 0, 3)
	base := fileBody("Customers", w.file(t, text), text)
	rows := []struct {
		name  string
		field string
		value any
		want  refusal
	}{
		{"facts 8.2, from a file", "name", "Customers", fine},
		{"facts 8.2, without a name", "name", absent, bad("missing_required_parameter", "name")},
		{"facts 8.2, name of 2", "name", "ab", bad("string_below_min_length", "name")},
		{"facts 8.2, name of 1,000", "name", strings.Repeat("n", 1000), fine},
		{"facts 8.2, name of 1,001", "name", strings.Repeat("n", 1001), bad("string_above_max_length", "name")},
		{"facts 8.2, description null", "description", nil, fine},
		{"facts 8.2, without filename", "filename", absent, bad("missing_required_parameter", "filename")},
		{"facts 8.2, filename of 255", "filename", strings.Repeat("f", 255), fine},
		{"facts 8.2, filename of 256", "filename",
			strings.Repeat("f", 256), bad("string_above_max_length", "filename")},
		{"facts 8.2, empty filename", "filename", "", bad("string_below_min_length", "filename")},
		{"facts 8.2, plain text", "mimetype", "text/plain", fine},
		{"facts 8.2, a workbook", "mimetype", "application/vnd.ms-excel", bad("invalid_value", "mimetype")},
		{"facts 8.2, file_size of 0", "file_size", 0, bad("integer_below_min_value", "file_size")},
		{"facts 8.2, file_size of 500,000,001", "file_size", 500_000_001, bad("integer_above_max_value", "file_size")},
		{"facts 8.2, size of another file", "file_size", len(text) + 1, bad("invalid_value", "file_size")},
		{"facts 8.2, file of nobody", "file_id", "oaisdmntci_none", bad("file_not_found", "file_id")},
		{"facts 8.2, an image is no audience file", "file_id", w.File(t), bad("file_not_found", "file_id")},
		{"facts 8.2, description of a file without one", "file_id", absent, bad("invalid_value", "filename")},
		{"facts 8.2, every identifier type", "identifier_type", "gaid", fine},
		{"facts 8.2, unknown identifier type", "identifier_type", "idfa", bad("invalid_value", "identifier_type")},
		{"facts 8.2, auto", "identifier_resolution", "auto", fine},
		{"facts 8.2, unknown resolution", "identifier_resolution",
			"manual", bad("invalid_value", "identifier_resolution")},
		{"unknown field", "members", []string{}, bad("unknown_parameter", "members")},
	}
	for _, row := range rows {
		expect(t, row.name, w.Do(t, "POST", "/custom_audiences", with(base, row.field, row.value)), row.want)
	}
	both := with(with(base, "identifier_type", "email"), "identifier_resolution", "auto")
	expect(t, "facts 8.2, type and auto", w.Do(t, "POST", "/custom_audiences", both),
		bad("invalid_value", "identifier_resolution"))
	expect(t, "part 4, without a file on an account with small audiences",
		w.Do(t, "POST", "/custom_audiences", `{"name":"Empty"}`), fine)
	expect(t, "facts 1, a key is ignored on create",
		w.Do(t, "POST", "/custom_audiences", `{"name":"Empty"}`, "Idempotency-Key", " "), fine)
}

func TestAudienceWithoutAFileNeedsSmallAudiences(t *testing.T) {
	w := newCrowd(t, noSmall)
	expect(t, "part 4, without a file", w.Do(t, "POST", "/custom_audiences", `{"name":"Empty"}`),
		refusal{403, "small_audiences_not_enabled", "file_id"})
}

func TestAudienceRecordAndStages(t *testing.T) {
	w := newCrowd(t)
	text := people(population.Email, 0, 10) + "nobody@elsewhere.example\nno identifier\n\n"
	id := w.Must(t, "POST", "/custom_audiences",
		with(fileBody("Customers", w.file(t, text), text), "description", "All")).ID(t)
	for _, want := range []string{"upload_pending", "processing", "rockset_ingest_pending", "publishing", "ready"} {
		if got := w.state(t, id, "status"); got != want {
			t.Errorf("facts 5, audience: status %s, want %s", got, want)
		}
		if got := w.state(t, id, "matched_user_count_range"); (got == "none") != (want != "ready") {
			t.Errorf("facts 8.1: %s users while %s", got, want)
		}
		w.Advance(t, 1)
	}
	got := w.Must(t, "GET", "/custom_audiences/"+id, nil).Map(t)
	want := emulatortest.Reply{Body: fmt.Appendf(nil, `{"id":%q,"created_at":1796112000,"updated_at":1796112004,"name":"Customers","description":"All",
		"status":"ready","hash_spec_version":"custom_audience_join_hash_v1","uploaded_identifier_count_range":"under_25k",
		"matched_identifier_count_range":"under_25k","matched_user_count_range":"under_25k","invalid_identifier_count_range":"under_25k",
		"membership_revision":1}`, id)}.Map(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts 8.1, record (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(counted{Uploaded: 11, Invalid: 1, Matched: 10, Users: 10, Revision: 1},
		w.counts(t, id)); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	expect(t, "part 4, audience of nobody", w.Do(t, "GET", "/custom_audiences/caud_none", nil),
		refusal{404, "not_found", ""})
	expect(t, "facts 8.1, unknown granularity", w.Do(t, "GET", "/custom_audiences/"+
		id+"?matched_count_granularity=exact", nil), bad("invalid_value", "matched_count_granularity"))
}

func TestHowAFileIsRead(t *testing.T) {
	hash := func(kind population.Kind, n int) string { return fmt.Sprintf("%x", population.HashOf(kind, n)) }
	email := func(n int) string { return population.Identifier(population.Email, n) }
	phone := func(n int) string { return population.Identifier(population.Phone, n) }
	gaid := func(n int) string { return population.Identifier(population.GAID, n) }
	rows := []struct {
		name, text, option, value string
		want                      counted
	}{
		{"e-mail when nothing is said", email(1) + "\n" + email(2) + "\n" + phone(3), "", "", counted{2, 1, 2, 2, 1}},
		{"once more counts once", email(1) + "\n " + strings.ToUpper(email(1)), "", "", counted{1, 0, 1, 1, 1}},
		{"phones", phone(1) + "\n+1 (555) 000-0002\n" + email(1), "identifier_type", "phone", counted{2, 1, 2, 2, 1}},
		{"advertising ids", strings.ToUpper(gaid(1)) + "\n" + email(2),
			"identifier_type", "gaid", counted{1, 1, 1, 1, 1}},
		{"hashed e-mail", hash(population.Email, 1) + "\n" + strings.ToUpper(hash(population.Email, 2)) +
			"\n" + email(3), "identifier_type", "email_sha256", counted{2, 1, 2, 2, 1}},
		{"hashed phones are no hashed e-mail", hash(population.Phone, 1) + "\n" + hash(population.Email, 2),
			"identifier_type", "email_sha256", counted{2, 0, 1, 1, 1}},
		{"hashed phones", hash(population.Phone, 1), "identifier_type", "phone_number_sha256", counted{1, 0, 1, 1, 1}},
		{"hash of nothing", hash(population.Email, 1) +
			"\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
			"identifier_type", "email_sha256", counted{1, 1, 1, 1, 1}},
		{"auto takes everything", email(1) + "\n" + phone(1) + "\n" + gaid(2) +
			"\n" + hash(population.Phone, 3) + "\nJane", "identifier_resolution", "auto", counted{4, 1, 4, 3, 1}},
		{"named columns, auto", "name,email,phone\nJane," + email(1) + "," + phone(1) + "\nJoe,," + phone(2),
			"identifier_resolution", "auto", counted{3, 0, 3, 2, 1}},
		{"named columns, one type", "email,phone\n" + email(1) + "," + phone(2),
			"identifier_type", "phone", counted{1, 0, 1, 1, 1}},
		{"a byte order mark and quotes", "\ufeff\"email\"\r\n\"" + email(1) + "\"\r\n", "", "", counted{1, 0, 1, 1, 1}},
		{"the first column without names", email(1) + "," + email(2), "", "", counted{1, 0, 1, 1, 1}},
	}
	w := newCrowd(t)
	for _, row := range rows {
		body := fileBody(row.name, w.file(t, row.text), row.text)
		if row.option != "" {
			body[row.option] = row.value
		}
		id := w.Must(t, "POST", "/custom_audiences", body).ID(t)
		w.Advance(t, 4)
		if diff := cmp.Diff(row.want, w.counts(t, id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
	for name, text := range map[string]string{"no identifier": "Jane\nJoe\n", "no such column": "phone\n" + phone(1)} {
		id := w.Must(t, "POST", "/custom_audiences", fileBody(name, w.file(t, text), text)).ID(t)
		w.Advance(t, 4)
		if got := w.state(t, id, "status"); got != "failed" {
			t.Errorf("%s: status %s, want failed", name, got)
		}
	}
}

func TestAudienceFileUpload(t *testing.T) {
	w := newCrowd(t, func(o *emulator.Options) { o.AudienceFile = 1000 })
	rows := []struct {
		name, text string
		fields     []string
		want       refusal
	}{
		{"facts 6, as published", "a@people.example\n", nil, fine},
		{"facts 6, the greatest size", strings.Repeat("a", 1000), nil, fine},
		{"facts 6, a byte more", strings.Repeat("a", 1001), nil, refusal{413, "request_too_large", "file"}},
		{"facts 6, empty", "", nil, bad("invalid_file", "file")},
		{"facts 6, no text", "PK\x03\x04\x00", nil, bad("invalid_file", "file")},
		{"facts 6, 64 columns", strings.Repeat("a,", 63) + "a", nil, fine},
		{"facts 6, 65 columns", strings.Repeat("a,", 64) + "a", nil, bad("invalid_file", "file")},
		{"facts 6, another purpose", "a", []string{"purpose", "account_favicon"}, bad("invalid_value", "purpose")},
		{"facts 6, without purpose", "a", []string{"", ""}[:1], bad("missing_required_parameter", "purpose")},
		{"facts 6, unknown field", "a", []string{"purpose", "custom_audience", "note", "x"},
			bad("unknown_parameter", "note")},
	}
	for _, row := range rows {
		expect(t, row.name, w.upload(t, row.text, row.fields...), row.want)
	}
	expect(t, "facts 6, JSON", w.Do(t, "POST", "/uploads", `{}`), bad("invalid_form", ""))
	off := newCrowd(t, emulatortest.WithPoints(t, "profile:interface"))
	if got := off.upload(t, "a").Status; got != 404 {
		t.Errorf("interface only: upload of an audience file = %d, want 404", got)
	}
}

func TestTheMinimumOfAnAudience(t *testing.T) {
	rows := []struct {
		name   string
		people int
		option func(*emulator.Options)
		points string
		state  string
		use    string // intended uses that list it
	}{
		{"24,999", 24_999, noSmall, "", "too_small", "exclusion"},
		{"25,000", 25_000, noSmall, "", "ready", "bid_multiplier exclusion inclusion"},
		{"24,999 where it may be ready", 24_999, noSmall, "audience_below_minimum=ready", "ready", "exclusion"},
		{"24,999 with small audiences", 24_999, func(*emulator.Options) {}, "", "ready", "exclusion"},
	}
	for _, row := range rows {
		w := newCrowd(t, row.option, points(t, row.points))
		id := w.fromFile(t, people(population.Email, 0, row.people))
		if got := w.state(t, id, "status"); got != row.state {
			t.Errorf("facts 8.2, %s: status %s, want %s", row.name, got, row.state)
		}
		var uses []string
		for _, use := range []string{"bid_multiplier", "exclusion", "inclusion"} {
			if data := w.Must(t, "GET", "/custom_audiences?intended_use="+use,
				nil).Map(t)["data"].([]any); len(data) == 1 {
				uses = append(uses, use)
			}
		}
		if got := strings.Join(uses, " "); got != row.use {
			t.Errorf("facts 8.2, %s: listed for %q, want %q", row.name, got, row.use)
		}
	}
}

func TestCountRanges(t *testing.T) {
	w := newCrowd(t)
	id := w.fromFile(t, people(population.Email, 0, 100_000))
	for query, want := range map[string]string{"": "100k_500k", "?matched_count_granularity=granular": "100k_200k"} {
		got := w.Must(t, "GET", "/custom_audiences/"+id+query, nil).Map(t)
		if got["matched_user_count_range"] != want || got["uploaded_identifier_count_range"] != "100k_500k" ||
			got["invalid_identifier_count_range"] != "under_25k" {
			t.Errorf("facts 8.1%s: %v, want %s matched users", query, got, want)
		}
	}
}

func TestAudienceList(t *testing.T) {
	w := newCrowd(t)
	a, b := w.empty(t), w.empty(t)
	w.Must(t, "POST", "/custom_audiences/"+b+"/archive", nil)
	first := w.Must(t, "GET", "/custom_audiences?order=asc&limit=1&matched_count_granularity=granular", nil).Map(t)
	policy := fmt.Sprint(first["policy_revision"])
	if len(policy) != 64 || first["has_more"] != true || first["last_id"] != a {
		t.Errorf("facts 8.2, first page: %v; want %s, more to come, and a policy revision of 64 characters", first, a)
	}
	rows := []struct {
		name, query string
		want        refusal
	}{
		{"facts 8.2, the policy of the first page", "policy_revision=" + policy, fine},
		{"facts 8.3, another policy", "policy_revision=" + strings.Repeat("0", 64),
			refusal{409, "custom_audience_policy_revision_mismatch", ""}},
		{"part 4, policy_revision of 63", "policy_revision=" + policy[:63], bad("invalid_value", "policy_revision")},
		{"part 4, policy_revision of 65", "policy_revision=" + policy + "0", bad("invalid_value", "policy_revision")},
		{"part 8, limit of 500", "limit=500", fine},
		{"part 8, limit of 501", "limit=501", bad("integer_above_max_value", "limit")},
		{"part 8, limit of 0", "limit=0", bad("integer_below_min_value", "limit")},
		{"facts 8.2, unknown use", "intended_use=all", bad("invalid_value", "intended_use")},
		{"part 8, 500 ids", strings.Repeat("custom_audience_ids[]=x&", 500), fine},
		{"part 8, 501 ids", strings.Repeat("custom_audience_ids[]=x&", 501),
			bad("array_above_max_length", "custom_audience_ids")},
		{"part 1, a cursor of nothing", "after=caud_none", bad("invalid_cursor", "after")},
	}
	for _, row := range rows {
		expect(t, row.name, w.Do(t, "GET", "/custom_audiences?"+row.query, nil), row.want)
	}
	ids := w.Must(t, "GET", "/custom_audiences?custom_audience_ids[]="+b+"&custom_audience_ids[]=none",
		nil).Map(t)["data"].([]any)
	if len(ids) != 1 || ids[0].(object)["id"] != b || ids[0].(object)["status"] != "archived" {
		t.Errorf("part 4, custom_audience_ids: %v, want %s alone", ids, b)
	}
}

func TestNoIdentifierIsKeptOrRepeated(t *testing.T) {
	dir := t.TempDir()
	w := newCrowd(t, func(o *emulator.Options) { o.Dir = dir })
	id := w.fromFile(t, canary+"\n"+people(population.Email, 0, 2))
	w.start(t, id, "add", "k1", inline("email", strings.ToUpper(canary)))
	w.Advance(t, 4)
	add := "/custom_audiences/" + id + "/add"
	var seen []byte
	for _, body := range []string{
		`{"identifiers":[{"identifier_type":"` + canary + `","identifier":"x"}]}`,
		`{"identifiers":[{"identifier_type":"email","identifier":["` + canary + `"]}]}`,
	} {
		got := w.Do(t, "POST", add, body, "Idempotency-Key", "k2")
		if got.Status != 400 {
			t.Errorf("add %s = %d, want 400", body, got.Status)
		}
		seen = append(seen, got.Body...)
	}
	for _, path := range []string{"/_emulator/mutations",
		"/_emulator/requests", "/custom_audiences", "/custom_audiences/" + id + "/operations"} {
		seen = append(seen, w.Must(t, "GET", path, nil).Body...)
	}
	if bytes.Contains(bytes.ToLower(seen), []byte("canary")) {
		t.Errorf("an answer repeats the canary: %s", seen)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	noCanary(t, dir)
}
