package kinds

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// audience is a custom audience (interface, part 2, other resources; service
// facts, section 8). Who is in it cannot be read back: what is desired is the
// digest of the hashed members file.
func audience() *resource.Schema {
	return &resource.Schema{
		Kind: Audience, Title: "Audience", Sheet: "Audiences",
		NameFrom: []string{"name"}, Removal: Archived, Feature: "custom audiences",
		Collection: "custom_audiences",
		Calls:      resource.Calls{Keyless: true},
		Facts: []resource.Fact{
			{Name: "state", Header: "State", Help: "How far the " +
				"service is with the audience: processing, ready, too_small, failed.", Path: "status"},
			{Name: "size", Header: "Size", Help: "The range in which the number of matched people lies.",
				Path: "matched_user_count_range"},
		},
		Attributes: []resource.Attribute{
			{
				Name: "name", Header: "Audience",
				Help: "The audience's name, 3 to 1,000 characters. Cannot change later.", Example: "Customers 2026",
				Type: resource.TypeText, Min: 3, Max: 1000, Required: true, OnCreate: true, Immutable: true,
				Wire: resource.Wire{Path: "name"},
			},
			{
				Name: "members.file", Header: "Members file",
				Help: "A file of the folder with one e-mail address, phone number or hash a line. It is hashed " +
					"before it leaves. Blank: the members are left as they are.", Example: "private/customers.csv",
				Type: resource.TypeMembers, Identifier: "members.identifier",
			},
			{
				Name: "members.identifier", Header: "Identifier",
				Help:    "What the members file holds: email, phone, email_sha256 or phone_number_sha256.",
				Example: "email",
				Type:    resource.TypeChoice,
				Choices: []resource.Choice{
					{Value: "email", Synonyms: []string{"e-mail", "emails", "mail"}},
					{Value: "phone", Synonyms: []string{"phone number", "phones", "telephone"}},
					{Value: "email_sha256", Synonyms: []string{"hashed email"}},
					{Value: "phone_number_sha256", Synonyms: []string{"phone_sha256", "hashed phone"}},
				},
			},
			{
				Name: "members.do", Header: "Do",
				Help:    "add, remove or replace: what the members file does to the audience. Blank: replace.",
				Example: "replace",
				Type:    resource.TypeChoice,
				Choices: []resource.Choice{{Value: "add"}, {Value: "remove"}, {Value: "replace"}},
			},
			{
				Name: "merge", Help: "Makes the new audience of all people of others: " +
					"their ids, or audience/KEY for those of your files. Blank: made otherwise. Cannot change later.",
				Type: resource.TypeIDs, Max: maxMerged, Immutable: true, Addressed: Audience,
			},
			archivedAudience(),
			{
				Name: "description", Help: "Your own note, kept at the service. Cannot change later.",
				Type: resource.TypeText, Max: 10000, Immutable: true,
				Wire: resource.Wire{Path: "description"},
			},
		},
		Noted: []resource.Attribute{
			{Name: "members.people", Type: resource.TypeCount, Help: "How many people the members file has."},
			{Name: "members.known", Type: resource.TypeCount,
				Help: "The most people adsync knows to be in the audience."},
			{Name: "members.merged", Type: resource.TypeIDs, Help: "The ids of the audiences it was made of."},
			{Name: "members.sent", Type: resource.TypeText, Help: "How far a list " +
				"is that goes in several requests: its digest, what they do, and for how many people."},
			{Name: "members.revision", Type: resource.TypeCount,
				Help: "The number of the membership at the service.", Wire: resource.Wire{Path: "membership_revision"}},
		},
		Membership: membership(),
		Rules: []resource.Rule{{Name: "a members file says what it holds", Check: membersWhole},
			{Name: "service facts, 8.2: what a merge takes", Check: mergeWhole}},
	}
}

// How many audiences one merge takes (service facts, 8.2).
const (
	minMerged = 2
	maxMerged = 64
)

// leastMatched is how many matched people an audience must have to be reached, or bid for;
// to be kept from ads it may have any number (service facts, 8.2).
const leastMatched = 25_000

// membership is how people get into an audience and out of it (interface, part
// 4, custom audiences; service facts, 5 and 8.2).
func membership() *resource.Membership {
	return &resource.Membership{
		File: "members.file", As: "members.identifier", Do: "members.do",
		Operations: []resource.MembershipOperation{
			{Name: "replace", Adds: true, Removes: true, Whole: true},
			{Name: "add", Adds: true, Resumes: true},
			{Name: "remove", Removes: true, Resumes: true},
		},
		Merge: "merge", MergeCall: resource.Call{Path: "custom_audiences/merge"}, MergeWire: "custom_audience_ids",
		People: "members.people", Known: "members.known",
		Merged: "members.merged", Revision: "members.revision", Sent: "members.sent",
		State: "status", Making: []string{"upload_pending", "processing", "rockset_ingest_pending", "publishing"},
		Failed: "failed", Ready: "ready",
		Size: "matched_user_count_range", Under: map[string]int64{"under_25k": leastMatched}, Small: "too_small",
	}
}

// archivedAudience is the one state of an audience that a file can ask for.
func archivedAudience() resource.Attribute {
	a := removal("An archived audience is no longer offered, and what is in it is gone.", resource.Call{
		Path: "custom_audiences/{id}/archive", NoBody: true,
	})
	a.Wire = resource.Wire{Path: "status", Codec: resource.Chosen}
	return a
}

// removal is the status of a kind that has no other: it says only that the
// resource goes (formats.md section 1).
func removal(meaning string, call resource.Call) resource.Attribute {
	return resource.Attribute{
		Name: "status", Help: "archived, to end it. " + meaning + " Blank: left as it is.",
		Type: resource.TypeChoice, Choices: []resource.Choice{{Value: Archived, Synonyms: []string{"removed"}}},
		Calls: map[string]resource.Call{Archived: call},
	}
}

func mergeWhole(value func(string) resource.Value) *resource.Finding {
	merged := value("merge")
	switch {
	case !merged.IsSet():
	case value("members.file").IsSet():
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "merge", Message: "merge is set " +
				"beside members.file; want one of them: an audience is made of a file or of others",
		}
	case len(merged.Items()) < minMerged:
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "merge", Message: fmt.Sprintf("merge has %s; want %d "+
				"to %d different ones", diag.Plural(len(merged.Items()), "audience"), minMerged, maxMerged),
		}
	}
	return nil
}

func membersWhole(value func(string) resource.Value) *resource.Finding {
	file, identifier, do := value("members.file"), value("members.identifier"), value("members.do")
	switch {
	case file.IsSet() && !identifier.IsSet():
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "members.file",
			Message: "members.file is set without members.identifier; want what the file holds, such as email",
		}
	case !file.IsSet() && (identifier.IsSet() || do.IsSet()):
		return &resource.Finding{
			Code: diag.Conflicting, Attribute: "members.identifier",
			Message: "members are described without members.file; want the file",
		}
	}
	return nil
}
