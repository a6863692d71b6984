package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/emulator/population"
	"adsync/internal/testing/emulatortest"
)

func email(n int) string { return population.Identifier(population.Email, n) }
func phone(n int) string { return population.Identifier(population.Phone, n) }

func conflicted(code string) refusal { return refusal{409, code, ""} }

const mutationConflict = "custom_audience_mutation_conflict"

func TestMembershipBodies(t *testing.T) {
	w := newCrowd(t)
	id := w.fromFile(t, people(population.Email, 0, 3))
	file := w.file(t, email(9))
	one := object{"identifier_type": "email", "identifier": email(1)}
	rows := []struct {
		name, kind string
		body       any
		want       refusal
	}{
		{"facts 8.2, inline", "add", object{"identifiers": []object{one}}, fine},
		{"facts 8.2, from a file", "remove", object{"file_id": file, "identifier_type": "email"}, fine},
		{"facts 8.2, file read by itself", "add", object{"file_id": file, "identifier_resolution": "auto"}, fine},
		{"facts 8.2, neither", "add", object{}, bad("invalid_value", "identifiers")},
		{"facts 8.2, both", "add", object{"file_id": file, "identifiers": []object{one}},
			bad("invalid_value", "identifiers")},
		{"facts 8.2, no identifier", "add", object{"identifiers": []object{}},
			bad("array_below_min_length", "identifiers")},
		{"facts 8.2, file of nobody", "add", object{"file_id": "x"}, bad("file_not_found", "file_id")},
		{"facts 8.2, identifier without its type", "add", object{"identifiers": []object{with(one,
			"identifier_type", absent)}}, bad("missing_required_parameter", "identifiers[0].identifier_type")},
		{"facts 8.2, unknown type", "add", inline("idfa", "x"), bad("invalid_value", "identifiers[0].identifier_type")},
		{"facts 8.2, the older name of the value", "add",
			object{"identifiers": []object{with(one, "value", "x")}}, bad("unknown_parameter", "identifiers[0].value")},
		{"facts 8.2, the older list", "add", object{"members": []object{one}}, bad("invalid_value", "identifiers")},
		{"facts 8.2, a type without a file", "add",
			with(inline("email", "x"), "identifier_type", "email"), bad("invalid_value", "identifier_type")},
		{"facts 8.2, revision below 0", "add", with(inline("email", "x"), "expected_revision", -1),
			bad("integer_below_min_value", "expected_revision")},
		{"facts 8.2, replace without a revision", "replace",
			object{"file_id": file}, bad("missing_required_parameter", "expected_revision")},
		{"facts 8.2, replace without a file", "replace",
			object{"expected_revision": 1}, bad("missing_required_parameter", "file_id")},
		{"facts 8.2, replace inline", "replace", with(inline("email", "x"), "expected_revision", 1),
			bad("missing_required_parameter", "file_id")},
	}
	for i, row := range rows {
		got := w.Do(t, "POST", "/custom_audiences/"+id+"/"+row.kind, row.body, "Idempotency-Key", fmt.Sprint("row", i))
		expect(t, row.name, got, row.want)
		w.Advance(t, 4)
	}
}

func TestMembershipKeys(t *testing.T) {
	w := newCrowd(t)
	id := w.empty(t)
	for _, kind := range []string{id + "/add", id + "/remove", id + "/replace", "merge"} {
		got := w.Do(t, "POST", "/custom_audiences/"+kind, `{}`)
		expect(t, "part 4, "+kind+" without Idempotency-Key", got, bad("missing_required_parameter", "Idempotency-Key"))
		got = w.Do(t, "POST", "/custom_audiences/"+kind, `{}`, "Idempotency-Key", strings.Repeat("k", 256))
		expect(t, "part 8, "+kind+" with a key of 256", got, bad("invalid_header", "Idempotency-Key"))
	}
	op := w.start(t, id, "add", strings.Repeat("k", 255), inline("email", email(1)))
	for _, body := range []object{inline("email", email(1)), inline("email", email(2))} {
		if again := w.start(t, id, "add", strings.Repeat("k", 255), body); again != op {
			t.Errorf("facts 1: the same key gives %s, want the original operation %s", again, op)
		}
	}
	for _, action := range []string{"cancel", "resume"} {
		got := w.Do(t, "POST", "/custom_audiences/"+id+"/operations/"+op+"/"+action, nil, "Idempotency-Key", "k")
		expect(t, "part 4, "+action+" with a key", got, bad("invalid_header", "Idempotency-Key"))
		got = w.Do(t, "POST", "/custom_audiences/"+id+"/operations/"+op+"/"+action, `{"why":1}`)
		expect(t, "part 4, "+action+" with a body", got, bad("unexpected_body", ""))
	}
}

func TestAnotherBodyUnderAKeyMayBeRefused(t *testing.T) {
	w := newCrowd(t, points(t, "key_with_other_body=refused"))
	id := w.empty(t)
	w.start(t, id, "add", "k", inline("email", email(1)))
	got := w.Do(t, "POST", "/custom_audiences/"+id+"/add", inline("email", email(2)), "Idempotency-Key", "k")
	expect(t, "open point key_with_other_body", got, conflicted("idempotency_conflict"))
}

func TestMembership(t *testing.T) {
	w := newCrowd(t)
	id := w.fromFile(t, people(population.Email, 0, 10))
	steps := []struct {
		name, kind string
		body       object
		want       counted
	}{
		{"add by phone", "add", inline("phone", phone(9), phone(10), "+49301234567", "no phone"),
			counted{13, 1, 12, 11, 2}},
		{"add again", "add", inline("email", email(10)), counted{14, 1, 13, 11, 3}},
		{"remove by another identifier", "remove",
			inline("phone", phone(0), phone(11), "+49301234567"), counted{14, 1, 12, 10, 4}},
		{"replace", "replace", object{"file_id": w.file(t, email(50)+"\nx"), "expected_revision": 4},
			counted{1, 1, 1, 1, 5}},
		{"remove everyone", "remove", inline("email", email(50)), counted{1, 1, 0, 0, 6}},
	}
	for i, step := range steps {
		op := w.start(t, id, step.kind, fmt.Sprint("step", i), step.body)
		w.Advance(t, 4)
		if diff := cmp.Diff(step.want, w.counts(t, id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		want := emulatortest.Reply{Body: fmt.Appendf(nil,
			`{"operation_id":%q,"custom_audience_id":%q,"operation":%q,"status":"succeeded"}`,
			op, id, step.kind)}.Map(t)
		if diff := cmp.Diff(want, w.Must(t, "GET", "/custom_audiences/"+id+"/operations/"+op, nil).Map(t)); diff != "" {
			t.Errorf("facts 8.2, %s, operation (-want +got):\n%s", step.name, diff)
		}
	}
}

func TestRevisionsGuardTheMembership(t *testing.T) {
	w := newCrowd(t)
	id := w.fromFile(t, email(1))
	file := w.file(t, email(2))
	path := "/custom_audiences/" + id
	expect(t, "facts 8.3, replace of another revision", w.Do(t, "POST", path+"/replace", object{"file_id": file,
		"expected_revision": 0}, "Idempotency-Key", "a"), conflicted("custom_audience_replacement_revision_conflict"))
	expect(t, "facts 8.3, add to another revision", w.Do(t, "POST", path+"/add",
		with(inline("email", email(2)), "expected_revision", 2), "Idempotency-Key", "b"), conflicted(mutationConflict))
	expect(t, "facts 8.2, add to this revision", w.Do(t,
		"POST", path+"/add", with(inline("email", email(2)), "expected_revision", 1), "Idempotency-Key", "c"), fine)
}

func TestOneChangeAtATime(t *testing.T) {
	w := newCrowd(t)
	id := w.empty(t)
	path := "/custom_audiences/" + id
	w.start(t, id, "add", "a", inline("email", email(1)))
	expect(t, "facts 8.3, another add", w.Do(t, "POST", path+"/add", inline("email", email(2)), "Idempotency-Key", "b"),
		conflicted(mutationConflict))
	expect(t, "facts 8.3, archive", w.Do(t, "POST", path+"/archive", nil), conflicted(mutationConflict))
	w.Advance(t, 4)
	expect(t, "facts 8.3, when it has ended",
		w.Do(t, "POST", path+"/add", inline("email", email(2)), "Idempotency-Key", "b"), fine)
	fresh := w.Must(t, "POST", "/custom_audiences", `{"name":"Fresh"}`).ID(t)
	expect(t, "facts 8.3, add before the publication", w.Do(t, "POST", "/custom_audiences/"+fresh+"/add",
		inline("email", email(2)), "Idempotency-Key", "c"), conflicted(mutationConflict))
}

func TestArchive(t *testing.T) {
	w := newCrowd(t)
	id := w.fromFile(t, email(1))
	path := "/custom_audiences/" + id
	expect(t, "part 4, archive", w.Do(t, "POST", path+"/archive", nil), fine)
	if got := w.state(t, id, "status"); got != "archived" {
		t.Errorf("facts 5: status %s, want archived", got)
	}
	expect(t, "facts 5, archive again", w.Do(t, "POST", path+"/archive", nil), fine)
	expect(t, "facts 5, an archived audience is not changed", w.Do(t,
		"POST", path+"/add", inline("email", email(2)), "Idempotency-Key", "a"), conflicted("resource_archived"))
	expect(t, "part 4, archive of nobody", w.Do(t, "POST", "/custom_audiences/caud_none/archive", nil),
		refusal{404, "not_found", ""})
	body := with(emulatortest.CampaignBody("Spring"),
		"targeting", object{"custom_audiences": object{"ids": []string{id}}})
	expect(t, "an archived audience is no target",
		w.Do(t, "POST", "/campaigns", body), bad("custom_audience_not_found", "targeting.custom_audiences"))
}

func TestCancel(t *testing.T) {
	rows := []struct {
		name  string
		after float64 // seconds
		want  refusal
		state string
		users int64
	}{
		{"at once", 0, fine, "failed", 1},
		{"just before changes begin", 1.999, fine, "failed", 1},
		{"when changes begin", 2, conflicted(mutationConflict), "processing", 1},
		{"when it has ended", 4, conflicted(mutationConflict), "succeeded", 2},
	}
	for _, row := range rows {
		w := newCrowd(t)
		id := w.fromFile(t, email(1))
		op := "/custom_audiences/" + id + "/operations/" + w.start(t, id, "add", "a", inline("email", email(2)))
		w.Advance(t, row.after)
		expect(t, "part 3, cancel "+row.name, w.Do(t, "POST", op+"/cancel", nil), row.want)
		if got := w.Must(t, "GET", op, nil).Map(t)["status"]; got != row.state {
			t.Errorf("part 3, cancel %s: status %v, want %s", row.name, got, row.state)
		}
		if got := w.counts(t, id).Users; got != row.users {
			t.Errorf("part 3, cancel %s: %d users, want %d", row.name, got, row.users)
		}
	}
}

func TestACanceledOperationIsOver(t *testing.T) {
	w := newCrowd(t)
	id := w.fromFile(t, email(1))
	op := "/custom_audiences/" + id + "/operations/" + w.start(t, id, "remove", "a", inline("email", email(1)))
	for _, action := range []string{"cancel", "cancel", "resume"} {
		if got := w.Must(t, "POST", op+"/"+action, nil).Map(t)["status"]; got != "failed" {
			t.Errorf("facts 5, %s: status %v, want failed", action, got)
		}
	}
	w.Advance(t, 60)
	if got := w.counts(t, id); got.Users != 1 || got.Revision != 1 {
		t.Errorf("part 3: the canceled removal left %+v, want 1 user at revision 1", got)
	}
}

func TestOnlyAddAndRemoveAreCanceledAndResumed(t *testing.T) {
	w := newCrowd(t)
	id := w.fromFile(t, email(1))
	op := "/custom_audiences/" + id + "/operations/" + w.start(t, id, "replace", "a", object{
		"file_id": w.file(t, email(2)), "expected_revision": 1,
	})
	expect(t, "part 3, cancel of a replace", w.Do(t, "POST", op+"/cancel", nil), conflicted(mutationConflict))
	expect(t, "part 3, resume of a replace", w.Do(t, "POST", op+"/resume", nil), bad("invalid_value", "operation_id"))
}

func TestRecovery(t *testing.T) {
	w := newCrowd(t, points(t, "audience_operation_stalls=half_way"))
	id := w.fromFile(t, email(1))
	path := "/custom_audiences/" + id
	op := w.start(t, id, "add", "a", inline("email", email(2), email(3)))
	w.Advance(t, 600)
	status := func() any { return w.Must(t, "GET", path+"/operations/"+op, nil).Map(t)["status"] }
	if got := status(); got != "processing" {
		t.Errorf("part 3: a stalled operation is %v, want processing", got)
	}
	expect(t, "facts 8.3, another change", w.Do(t, "POST", path+"/remove",
		inline("email", email(1)), "Idempotency-Key", "b"), conflicted("custom_audience_operation_recovery_required"))
	expect(t, "facts 8.3, cancel while applying", w.Do(t, "POST", path+"/operations/"+op+"/cancel", nil),
		conflicted(mutationConflict))
	expect(t, "part 4, resume", w.Do(t, "POST", path+"/operations/"+op+"/resume", nil), fine)
	w.Advance(t, 2)
	if got := status(); got != "succeeded" {
		t.Errorf("part 3: a resumed operation is %v, want succeeded", got)
	}
	if got := w.counts(t, id); got.Users != 3 || got.Revision != 2 {
		t.Errorf("part 3: the resumed operation left %+v, want 3 users at revision 2", got)
	}
	again := w.start(t, id, "remove", "c", inline("email", email(1), email(2)))
	w.Advance(t, 600)
	w.counts(t, id)
	if same := w.start(t, id, "remove", "c", inline("email", email(1), email(2))); same != again {
		t.Errorf("facts 8.3: the original request again gives %s, want %s", same, again)
	}
	w.Advance(t, 2)
	if got := w.counts(t, id).Users; got != 1 {
		t.Errorf("facts 8.3: the original request again left %d users, want 1", got)
	}
}

func TestMerge(t *testing.T) {
	w := newCrowd(t)
	a, b := w.fromFile(t, email(1)+"\n"+email(2)), w.fromFile(t, email(2)+"\n"+email(3)+"\nx@y.example")
	fresh := w.Must(t, "POST", "/custom_audiences", `{"name":"Fresh"}`).ID(t)
	base := object{"name": "Both", "custom_audience_ids": []string{a, b}}
	many := make([]string, 65)
	for i := range many {
		many[i] = fmt.Sprint("caud_", i)
	}
	rows := []struct {
		name, field string
		value       any
		want        refusal
	}{
		{"one source", "custom_audience_ids", []string{a}, bad("array_below_min_length", "custom_audience_ids")},
		{"the same source twice", "custom_audience_ids", []string{a, a}, bad("invalid_value", "custom_audience_ids")},
		{"65 sources", "custom_audience_ids", many, bad("array_above_max_length", "custom_audience_ids")},
		{"64 sources that are not there", "custom_audience_ids",
			many[:64], bad("custom_audience_not_found", "custom_audience_ids")},
		{"a source that is not ready", "custom_audience_ids", []string{a, fresh}, conflicted(mutationConflict)},
		{"without a name", "name", absent, bad("missing_required_parameter", "name")},
		{"description", "description", "All", fine},
	}
	for i, row := range rows {
		expect(t, "facts 8.2, merge: "+row.name, w.Do(t, "POST", "/custom_audiences/merge",
			with(base, row.field, row.value), "Idempotency-Key", fmt.Sprint("row", i)), row.want)
	}
	op := w.Must(t, "POST", "/custom_audiences/merge", base, "Idempotency-Key", "m").Map(t)
	made := fmt.Sprint(op["custom_audience_id"])
	if op["operation"] != "merge" || made == a || made == b {
		t.Fatalf("facts 8.2, merge gives %v, want an operation of a new audience", op)
	}
	w.start(t, a, "remove", "later", inline("email", email(1), email(2)))
	w.Advance(t, 4)
	if diff := cmp.Diff(counted{Uploaded: 3, Matched: 3, Users: 3, Revision: 1}, w.counts(t, made)); diff != "" {
		t.Errorf("part 4, an independent audience of all matched members (-want +got):\n%s", diff)
	}
}

func TestOperationList(t *testing.T) {
	w := newCrowd(t)
	id := w.empty(t)
	var want []string
	for i := range 5 {
		want = append([]string{w.start(t, id, "add", fmt.Sprint(i), inline("email", email(i)))}, want...)
		w.Advance(t, 4)
	}
	path := "/custom_audiences/" + id + "/operations"
	var got []string
	cursor := ""
	for {
		page := w.Must(t, "GET", path+"?limit=2"+cursor, nil).Map(t)
		for _, op := range page["data"].([]any) {
			got = append(got, fmt.Sprint(op.(object)["operation_id"]))
		}
		if page["has_more"] != true {
			if page["next_cursor"] != nil {
				t.Errorf("facts 8.2: the last page has the cursor %v", page["next_cursor"])
			}
			break
		}
		cursor = fmt.Sprint("&cursor=", page["next_cursor"])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts 8.2, accepted operations without the first publication (-want +got):\n%s", diff)
	}
	rows := []struct {
		name, query string
		want        refusal
	}{
		{"part 8, limit of 100", "?limit=100", fine},
		{"part 8, limit of 101", "?limit=101", bad("integer_above_max_value", "limit")},
		{"part 4, empty cursor", "?cursor=", bad("invalid_value", "cursor")},
		{"part 4, cursor of nothing", "?cursor=x", bad("invalid_cursor", "cursor")},
		{"part 4, operation of nobody", "/caudop_none", refusal{404, "not_found", ""}},
		{"part 8, operation id of 128", "/" + strings.Repeat("o", 128), refusal{404, "not_found", ""}},
		{"part 8, operation id of 129", "/" + strings.Repeat("o", 129), bad("invalid_value", "operation_id")},
	}
	for _, row := range rows {
		expect(t, row.name, w.Do(t, "GET", path+row.query, nil), row.want)
	}
}

func TestOperationsSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	onDisk := func(o *emulator.Options) { o.Dir = dir }
	w := newCrowd(t, onDisk)
	id := w.fromFile(t, email(1))
	op := w.start(t, id, "add", "a", inline("email", email(2)))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w = newCrowd(t, onDisk)
	w.Advance(t, 4)
	if got := w.Must(t, "GET", "/custom_audiences/"+id+"/operations/"+op, nil).Map(t)["status"]; got != "succeeded" {
		t.Errorf("after a restart the operation is %v, want succeeded", got)
	}
	if got := w.counts(t, id).Users; got != 2 {
		t.Errorf("after a restart the audience has %d users, want 2", got)
	}
}

func TestOperationsTakeAsLongAsTheOpenPointSays(t *testing.T) {
	for point, seconds := range map[string]float64{"0s": 0, "4s": 4, "60s": 60} {
		w := newCrowd(t, points(t, "audience_duration="+point))
		id := w.Must(t, "POST", "/custom_audiences", `{"name":"Empty"}`).ID(t)
		if seconds > 0 {
			w.Advance(t, seconds-0.001)
			if got := w.state(t, id, "status"); got != "publishing" {
				t.Errorf("audience_duration=%s: a moment before, status %s, want publishing", point, got)
			}
			w.Advance(t, 0.001)
		}
		if got := w.state(t, id, "status"); got != "ready" {
			t.Errorf("audience_duration=%s: status %s, want ready", point, got)
		}
	}
}
