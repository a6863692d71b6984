package kinds

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
)

// audience is a custom audience (interface, part 2, other resources; service
// facts, section 8). Who is in it cannot be read back: what is desired is the
// digest of the hashed members file.
func audience() *resource.Schema {
	return &resource.Schema{
		Kind: Audience, Title: "Audience", Sheet: "Audiences",
		NameFrom: []string{"name"}, Removal: Archived, Unrouted: true,
		Collection: "custom_audiences",
		Attributes: []resource.Attribute{
			{
				Name: "name", Header: "Audience", Synonyms: []string{"Audience name", "Name"},
				Help: "The audience's name, 3 to 1,000 characters. Cannot change later.", Example: "Customers 2026",
				Type: resource.TypeText, Min: 3, Max: 1000, Required: true, OnCreate: true, Immutable: true,
			},
			{
				Name: "members.file", Header: "Members file", Synonyms: []string{"Members", "File"},
				Help: "A file of the folder with one e-mail address, phone number or hash a line. It is hashed before it leaves. Blank: the members are left as they are.", Example: "private/customers.csv",
				Type: resource.TypeMembers, Identifier: "members.identifier",
			},
			{
				Name: "members.identifier", Header: "Identifier", Synonyms: []string{"Identifier type"},
				Help: "What the members file holds: email, phone, email_sha256 or phone_number_sha256.", Example: "email",
				Type: resource.TypeChoice,
				Choices: []resource.Choice{
					{Value: "email", Synonyms: []string{"e-mail", "emails", "mail"}},
					{Value: "phone", Synonyms: []string{"phone number", "phones", "telephone"}},
					{Value: "email_sha256", Synonyms: []string{"hashed email"}},
					{Value: "phone_number_sha256", Synonyms: []string{"phone_sha256", "hashed phone"}},
				},
			},
			{
				Name: "members.do", Header: "Do", Synonyms: []string{"Action", "Operation"},
				Help: "add, remove or replace: what the members file does to the audience. Blank: replace.", Example: "replace",
				Type: resource.TypeChoice, Choices: []resource.Choice{{Value: "add"}, {Value: "remove"}, {Value: "replace"}},
			},
			removal("An archived audience is no longer offered, and what is in it is gone.", resource.Call{Path: "custom_audiences/{id}/archive", NoBody: true}),
			{
				Name: "description", Help: "Your own note, kept at the service.",
				Type: resource.TypeText, Max: 10000,
			},
		},
		Rules: []resource.Rule{{Name: "a members file says what it holds", Check: membersWhole}},
	}
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

func membersWhole(value func(string) resource.Value) *resource.Finding {
	file, identifier, do := value("members.file"), value("members.identifier"), value("members.do")
	switch {
	case file.IsSet() && !identifier.IsSet():
		return &resource.Finding{Code: diag.Conflicting, Attribute: "members.file", Message: "members.file is set without members.identifier; want what the file holds, such as email"}
	case !file.IsSet() && (identifier.IsSet() || do.IsSet()):
		return &resource.Finding{Code: diag.Conflicting, Attribute: "members.identifier", Message: "members are described without members.file; want the file"}
	}
	return nil
}
