package conformance

import (
	"fmt"
	"strings"
)

// published is how long an emulator takes to publish an audience, and more.
const published = 60

// anAudience is an empty audience that is ready.
var anAudience = given(post("/custom_audiences", object{"name": "Runners"}).save("audience", "id"), advance(published))

// aList is an uploaded file with one person.
var aList = people("file", 1, 2)

// people uploads a file with the e-mail addresses of persons from to before to.
func people(name string, from, to int) Step {
	var text strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&text, "person%d@people.example\n", n)
	}
	return post("/uploads", form{"purpose", "custom_audience", "file", []byte(text.String())}).save(name, "file_id")
}

func inline(identifiers ...string) object {
	all := []object{}
	for _, each := range identifiers {
		all = append(all, object{"identifier_type": "email", "identifier": each})
	}
	return object{"identifiers": all}
}

const audience = "/custom_audiences/{audience}"

// adding is an add that is under way, {operation}.
var adding = given(anAudience,
	post(audience+"/add", inline("person1@people.example")).keyed("a").save("operation", "operation_id"))

// present reads the audience's revision.
var present = get(audience).save("revision", "membership_revision")

const operation = audience + "/operations/{operation}"

func describedFile(text int) object {
	return object{
		"name": "From a file", "file_id": "{file}", "filename": "people.csv", "mimetype": "text/csv", "file_size": text,
	}
}

// oneLine is the size of aList's file, bytes.
const oneLine = len("person1@people.example\n")

// rowsOfAudiences are part 4, custom audiences, part 3 for their operations, and
// the limits of part 8 for them.
var rowsOfAudiences = concat(
	[]Row{
		{
			Rules: "4.audiences.create", Name: "an empty audience is published later",
			Do: post("/custom_audiences", object{"name": "Runners", "description": "All"}).save("audience", "id"),
			Want: gives(text("id"), is("name", "Runners"), is("description", "All"),
				not("status", "ready"), has("membership_revision", "matched_user_count_range", "hash_spec_version")),
			Then: given(advance(published), get(audience).gives(is("status", "ready"))),
		},
		{Rules: "4.audiences.create", Name: "an empty audience where small audiences are not enabled",
			Given: given(without("small_audiences")),
			Do:    post("/custom_audiences", object{"name": "Runners"}), Want: answers(400, 403, 422)},
		{Rules: "4.audiences.create facts.uploads", Name: "an audience from a file",
			Given: given(aList), Do: post("/custom_audiences", describedFile(oneLine)).save("audience", "id"),
			Want: gives(text("id")), Then: given(advance(published),
				get(audience).gives(is("status", "ready"), is("matched_user_count_range", "under_25k")))},
		{Rules: "4.audiences.create", Name: "an audience from a file of nobody",
			Do: post("/custom_audiences", set(describedFile(1), "file_id", "none")), Want: invalid("file_id")},
		{Rules: "4.audiences.create", Name: "an audience without a body",
			Do: act("/custom_audiences"), Want: answers(400, 422)},
		{Rules: "facts.audiences", Name: "24,999 persons are too few for inclusion",
			Given: given(without("small_audiences"), people("file", 0, 24_999),
				post("/custom_audiences", describedFile(bytesOf(0, 24_999))), advance(published)),
			Do: get("/custom_audiences?intended_use=inclusion"), Want: gives(count("data", 0)),
			Then: given(get("/custom_audiences?intended_use=exclusion").gives(count("data", 1)))},
		{Rules: "facts.audiences 4.audiences.list", Name: "25,000 persons are enough for inclusion",
			Given: given(without("small_audiences"), people("file", 0, 25_000),
				post("/custom_audiences", describedFile(bytesOf(0, 25_000))).save("audience", "id"),
				advance(published)),
			Do: get("/custom_audiences?intended_use=inclusion"), Want: gives(count("data", 1),
				is("data[0].id", "{audience}"), is("data[0].matched_user_count_range", "25k_100k"))},
		{Rules: "4.audiences.list", Name: "audiences by their ids",
			Given: given(anAudience, post("/custom_audiences", object{"name": "Walkers"})),
			Do:    get("/custom_audiences?custom_audience_ids[]={audience}&custom_audience_ids[]=none"),
			Want:  gives(count("data", 1), is("data[0].id", "{audience}"))},
		{Rules: "4.audiences.list", Name: "the policy of a list",
			Given: given(get("/custom_audiences").save("policy", "policy_revision")),
			Do:    get("/custom_audiences?policy_revision={policy}"), Want: gives(is("policy_revision", "{policy}"))},
		{Rules: "4.audiences.list", Name: "another policy", Do: get("/custom_audiences?policy_revision=" +
			strings.Repeat("0", 64)), Want: conflict().and(codeIs("custom_audience_policy_revision_mismatch"))},
		{Rules: "4.audiences.list", Name: "one audience with granular counts", Given: anAudience,
			Do: get(audience + "?matched_count_granularity=granular"), Want: gives(is("id", "{audience}"))},
		{Rules: "4.audiences.list", Name: "no audience", Do: get("/custom_audiences/none"), Want: notFound()},
		{Rules: "5.6", Name: "an audience of another account",
			Given: anAudience, Do: get(audience).as(other), Want: notFound()},
		{Rules: "4.audiences.archive", Name: "archive", Given: anAudience,
			Do: act(audience + "/archive"), Want: gives(is("id", "{audience}"), is("status", "archived")),
			Then: given(get(audience).gives(is("status", "archived")))},
		{Rules: "facts.archived", Name: "an archived audience is not changed",
			Given: given(anAudience, act(audience+"/archive")),
			Do:    post(audience+"/add", inline("person1@people.example")).keyed("a"), Want: answers(400, 409, 422)},

		{
			Rules: "4.audiences.add 4.audiences.operation",
			Name:  "add inline identifiers", Given: given(anAudience, present), Do: post(audience+"/add",
				inline("person1@people.example")).keyed("a").save("operation", "operation_id"),
			Want: gives(text("operation_id"), is("custom_audience_id", "{audience}"),
				is("operation", "add"), is("status", "processing"), silent("person1")),
			Then: given(advance(published), get(operation).gives(is("status", "succeeded"), is("operation_id",
				"{operation}"), silent("person1")), get(audience).gives(is("membership_revision", "#{revision+1}"))),
		},
		{Rules: "4.audiences.add", Name: "add a file", Given: given(anAudience, aList),
			Do: post(audience+"/add", object{"file_id": "{file}"}).keyed("a"), Want: gives(is("operation", "add"))},
		{Rules: "4.audiences.add", Name: "add both a file and identifiers", Given: given(anAudience, aList),
			Do:   post(audience+"/add", set(inline("person1@people.example"), "file_id", "{file}")).keyed("a"),
			Want: answers(400, 422)},
		{Rules: "4.audiences.add", Name: "add nothing",
			Given: anAudience, Do: post(audience+"/add", object{}).keyed("a"), Want: answers(400, 422)},
		{Rules: "4.audiences.add", Name: "add without a key", Given: anAudience,
			Do: post(audience+"/add", inline("person1@people.example")), Want: invalid("Idempotency-Key")},
		{Rules: "8.key 4.audiences.add", Name: "add with a key of 255", Given: anAudience,
			Do: post(audience+"/add", inline("person1@people.example")).keyed(runID + ascii(250)), Want: gives()},
		{Rules: "8.key 4.audiences.add", Name: "add with a key of 256", Given: anAudience,
			Do: post(audience+"/add", inline("person1@people.example")).keyed(ascii(256)), Want: answers(400, 422)},
		{Rules: "1.idempotency 4.audiences.add", Name: "the key of an add again", Given: adding, Do: post(audience+
			"/add", inline("person1@people.example")).keyed("a"), Want: gives(is("operation_id", "{operation}"))},
		{Rules: "4.audiences.remove", Name: "remove",
			Given: anAudience, Do: post(audience+"/remove", inline("person1@people.example")).keyed("a"),
			Want: gives(is("operation", "remove"), is("status", "processing"))},
		{Rules: "4.audiences.remove", Name: "remove without a key", Given: anAudience,
			Do: post(audience+"/remove", inline("person1@people.example")), Want: invalid("Idempotency-Key")},
		{Rules: "4.audiences.replace", Name: "replace the present revision", Given: given(anAudience, aList, present),
			Do:   post(audience+"/replace", object{"file_id": "{file}", "expected_revision": "#{revision}"}).keyed("a"),
			Want: gives(is("operation", "replace"))},
		{Rules: "4.audiences.replace", Name: "replace another revision", Given: given(anAudience, aList, present),
			Do: post(audience+"/replace",
				object{"file_id": "{file}", "expected_revision": "#{revision+1}"}).keyed("a"),
			Want: conflict().and(codeIs("custom_audience_replacement_revision_conflict"))},
		{Rules: "4.audiences.replace", Name: "replace without a revision", Given: given(anAudience, aList),
			Do: post(audience+"/replace", object{"file_id": "{file}"}).keyed("a"), Want: invalid("expected_revision")},
		{Rules: "4.audiences.replace", Name: "replace without a file", Given: anAudience,
			Do: post(audience+"/replace", object{"expected_revision": 1}).keyed("a"), Want: invalid("file_id")},
		{Rules: "4.audiences.replace", Name: "replace without a key", Given: given(anAudience, aList),
			Do:   post(audience+"/replace", object{"file_id": "{file}", "expected_revision": 1}),
			Want: invalid("Idempotency-Key")},
		{
			Rules: "4.audiences.merge", Name: "merge makes an independent audience", Given: given(anAudience,
				post("/custom_audiences", object{"name": "Walkers"}).save("second", "id"), advance(published)),
			Do: post("/custom_audiences/merge", object{"name": "Both", "custom_audience_ids": []string{"{audience}",
				"{second}"}}).keyed("a").save("merged", "custom_audience_id"),
			Want: gives(is("operation", "merge"), not("custom_audience_id", "{audience}"),
				not("custom_audience_id", "{second}")),
			Then: given(advance(published), get("/custom_audiences/{merged}").gives(is("name", "Both"), is("status",
				"ready")), act(audience+"/archive"), get("/custom_audiences/{merged}").gives(is("status", "ready"))),
		},
		{Rules: "4.audiences.merge", Name: "merge of one audience",
			Given: anAudience, Do: post("/custom_audiences/merge", object{"name": "Alone",
				"custom_audience_ids": []string{"{audience}"}}).keyed("a"), Want: invalid("custom_audience_ids")},
		{Rules: "4.audiences.merge", Name: "merge without a key", Given: anAudience, Do: post("/custom_audiences/merge",
			object{"name": "Both", "custom_audience_ids": []string{"{audience}", "none"}}),
			Want: invalid("Idempotency-Key")},
		{Rules: "4.audiences.operations", Name: "operations are listed",
			Given: given(adding, advance(published)), Do: get(audience + "/operations"), Want: gives(count("data", 1),
				is("data[0].operation_id", "{operation}"), is("has_more", false), is("next_cursor", nil))},
		{
			Rules: "4.audiences.operations", Name: "pages of operations", Given: given(adding, advance(published),
				post(audience+"/remove", inline("person1@people.example")).keyed("b"), advance(published)),
			Do:   get(audience+"/operations?limit=1").save("cursor", "next_cursor"),
			Want: gives(count("data", 1), is("has_more", true), text("next_cursor")),
			Then: given(get(audience+"/operations?limit=1&cursor={cursor}").gives(count("data", 1),
				is("has_more", false))),
		},
		{Rules: "4.audiences.operations", Name: "an empty cursor",
			Given: anAudience, Do: get(audience + "/operations?cursor="), Want: invalid("cursor")},
		{Rules: "8.operation_id", Name: "an operation id of 128",
			Given: anAudience, Do: get(audience + "/operations/" + ascii(128)), Want: notFound()},
		{Rules: "8.operation_id", Name: "an operation id of 129",
			Given: anAudience, Do: get(audience + "/operations/" + ascii(129)), Want: answers(400, 422)},

		{Rules: "3.operation.cancel", Name: "an add is canceled before changes begin", Given: given(adding, present),
			Do: act(operation + "/cancel"), Want: gives(is("operation_id", "{operation}"), is("status", "failed")),
			Then: given(advance(published), get(operation).gives(is("status", "failed")),
				get(audience).gives(is("membership_revision", "#{revision}")))},
		{Rules: "3.operation.cancel", Name: "an add that applies changes is not canceled",
			Given: given(adding, advance(3)),
			Do:    act(operation + "/cancel"), Want: conflict().and(codeIs("custom_audience_mutation_conflict"))},
		{Rules: "3.operation.cancel", Name: "an add that has ended is not canceled",
			Given: given(adding, advance(published)), Do: act(operation + "/cancel"),
			Want: conflict(), Then: given(get(operation).gives(is("status", "succeeded")))},
		{Rules: "3.operation.cancel", Name: "a remove is canceled before changes begin", Given: given(anAudience,
			post(audience+"/remove", inline("person1@people.example")).keyed("a").save("operation", "operation_id")),
			Do: act(operation + "/cancel"), Want: gives(is("status", "failed"))},
		{Rules: "3.operation.cancel", Name: "a replace is not canceled", Given: given(anAudience, aList, present,
			post(audience+"/replace", object{"file_id": "{file}", "expected_revision": "#{revision}"}).keyed("a").
				save("operation", "operation_id")), Do: act(operation + "/cancel"), Want: answers(400, 409, 422)},
		{
			Rules: "3.operation.resume", Name: "an add that stopped goes on",
			Given: given(point("audience_operation_stalls", "half_way"),
				adding, advance(published), get(operation).gives(is("status", "processing"))),
			Do: act(operation + "/resume"), Want: gives(is("operation_id", "{operation}")),
			Then: given(advance(published), get(operation).gives(is("status", "succeeded"))),
		},
		{Rules: "3.operation.resume", Name: "an add that has ended stays as it is", Given: given(adding,
			advance(published)), Do: act(operation + "/resume"), Want: gives(is("status", "succeeded"))},
		{Rules: "4.audiences.resume", Name: "resume with a key",
			Given: adding, Do: act(operation + "/resume").keyed("k"), Want: answers(400, 422)},
		{Rules: "4.audiences.resume", Name: "resume with a body",
			Given: adding, Do: post(operation+"/resume", object{"from": 1}), Want: answers(400, 422)},
		{Rules: "4.audiences.resume", Name: "cancel with a body",
			Given: adding, Do: post(operation+"/cancel", object{"why": 1}), Want: answers(400, 422)},
		{Rules: "2.campaign.targeting facts.targeting",
			Name: "a campaign for an audience", Given: anAudience, Do: post("/campaigns", set(campaign("Spring"),
				"targeting", object{"excluded_custom_audiences": object{"ids": []string{"{audience}"}}})),
			Want: gives(is("targeting.excluded_custom_audiences.ids", []string{"{audience}"}))},
		{Rules: "facts.uploads", Name: "an audience file", Do: aList, Want: gives(text("file_id"))},
		{Rules: "facts.uploads", Name: "an audience file of another purpose",
			Do: post("/uploads", form{"purpose", "creative", "file", []byte("a@b.example")}), Want: invalid("purpose")},
		{Rules: "facts.uploads", Name: "an audience file without a file",
			Do: post("/uploads", form{"purpose", "custom_audience"}), Want: invalid("file")},
	},
	queries("audiences", nil, "/custom_audiences",
		query{"8.audience_ids", "500 ids", "?" + strings.Repeat("custom_audience_ids[]=x&", 500), gives()},
		query{"8.audience_ids", "501 ids", "?" + strings.Repeat("custom_audience_ids[]=x&", 501),
			invalid("custom_audience_ids")},
		query{"4.audiences.list", "a policy of 63", "?policy_revision=" + ascii(63), invalid("policy_revision")},
		query{"4.audiences.list", "a policy of 65", "?policy_revision=" + ascii(65), invalid("policy_revision")},
		query{"4.audiences.list", "an unknown use", "?intended_use=decoration", invalid("intended_use")},
		query{"4.audiences.list", "an unknown granularity",
			"?matched_count_granularity=exact", invalid("matched_count_granularity")},
	),
	fields("audience", nil, post("/custom_audiences", object{"name": "Runners"}),
		field{"4.audiences.create", "without a name", "name", absent, invalid("name")},
		field{"4.audiences.create", "name of 2", "name", chars(2), invalid("name")},
		field{"4.audiences.create", "name of 3", "name", chars(3), gives()},
		field{"4.audiences.create", "name of 1,001", "name", chars(1001), invalid("name")},
		field{"4.audiences.create", "the older list of members", "members", []object{}, invalid("members")},
	),
	limits("operations", anAudience, audience+"/operations", 100),
	listOf("custom_audiences", "", given(post("/custom_audiences", object{"name": "Runners"})),
		post("/custom_audiences", object{"name": "Row {n}"})),
)

// bytesOf is the size of the file of persons from to before to.
func bytesOf(from, to int) (size int) {
	for n := from; n < to; n++ {
		size += len(fmt.Sprintf("person%d@people.example\n", n))
	}
	return size
}
