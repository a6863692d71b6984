package schema

import (
	"fmt"
	"strings"

	"adsync/internal/jsonschema"
	"adsync/internal/policy"
)

// policySchema describes a policy, in adsync.yaml and in the operator's file.
func policySchema(help string) *jsonschema.Schema {
	properties := jsonschema.Properties{
		{Name: "drift", Schema: orEach(policy.Drift)},
		{Name: "prune", Schema: orEach(policy.Prune)},
		{Name: "approvals", Schema: orEach(policy.Approvals)},
		{Name: "invalid", Schema: &jsonschema.Schema{
			Description: strings.TrimSuffix(policy.Invalid.Help, ".") + ". Absent: " + policy.Invalid.Default + ".",
			Enum:        policy.Invalid.Words(),
		}},
		{Name: "saved_plan_minutes", Schema: &jsonschema.Schema{
			Type: jsonschema.Types{"string", "number"}, Pattern: "^(?:[1-9]|[12][0-9]|30)$",
			Description: "How long a saved plan may wait for apply, 1 to 30 minutes. Absent: 30.",
		}},
		{Name: "freeze", Schema: &jsonschema.Schema{Type: jsonschema.Types{"array"}, Description: "Windows in which " +
			"only pauses and decreases pass.", Items: closed("A freeze window.", jsonschema.Properties{
			{Name: "name", Schema: setting("What people call it.")}, {Name: "cron", Schema: setting("When it begins, " +
				"five fields: minute, hour, day of the month, month, day of the week.")},
			{Name: "for", Schema: setting("How long it lasts, such as 62h.")}, {Name: "timezone",
				Schema: setting("IANA name of the zone cron counts in.")}, {Name: "reason", Schema: setting("Why.")},
		})}},
	}
	groups := map[string]jsonschema.Properties{}
	var order []string
	for _, s := range policy.Settings() {
		group, name, grouped := strings.Cut(s.Name, ".")
		if !grouped {
			properties = append(properties, jsonschema.Property{Name: s.Name, Schema: setting(s.Help)})
			continue
		}
		if groups[group] == nil {
			order = append(order, group)
		}
		groups[group] = append(groups[group], jsonschema.Property{Name: name, Schema: setting(s.Help)})
	}
	for _, group := range order {
		properties = append(properties, jsonschema.Property{Name: group, Schema: closed("Limits.", groups[group])})
	}
	return closed(help, properties)
}

// orEach is one of the choices, or a mapping of names to them.
func orEach(c policy.Choice) *jsonschema.Schema {
	help := fmt.Sprintf("%s; or a mapping of %ss to it. Absent: %s.",
		strings.TrimSuffix(c.Help, "."), c.Each, c.Default)
	return &jsonschema.Schema{
		Description: help, AnyOf: []*jsonschema.Schema{{Enum: c.Words()}, {Type: jsonschema.Types{"object"}}},
	}
}

// credentialSchema describes where a key is.
func credentialSchema(help string) *jsonschema.Schema {
	return closed(help, jsonschema.Properties{
		{Name: "env", Schema: setting("Environment variable that holds the key.")},
		{Name: "file", Schema: setting("File that holds the key.")},
		{Name: "command", Schema: setting("Command that prints the key.")},
	})
}

// Operator describes the operator's file, for editors.
func Operator() *jsonschema.Schema {
	section := func() jsonschema.Properties {
		return jsonschema.Properties{
			{Name: "base_url", Schema: setting("Address of the service.")},
			{Name: "credentials", Schema: closed("Where the key is, or how a person logs in; one of the four. "+
				"The key itself stands nowhere.",
				jsonschema.Properties{
					{Name: "env", Schema: setting("Environment variable that holds the key.")},
					{Name: "file", Schema: setting("File that holds the key.")},
					{Name: "command", Schema: setting("Command that prints the key.")},
					{Name: "oauth", Schema: oauthSchema()},
				})},
			{Name: "events_url", Schema: setting("Address that conversion events are sent to, https.")},
			{Name: "events_credentials", Schema: credentialSchema(
				"Where the conversion API key is that events are sent by; one of the three.")},
			{Name: "git", Schema: gitSchema()},
			{Name: "state", Schema: stateSchema()},
			{Name: "bulk", Schema: bulkSchema()},
			{Name: "publish", Schema: publishSchema()},
			{Name: "reach", Schema: &jsonschema.Schema{Type: jsonschema.Types{"array"},
				Description: "What files may name and adsync may fetch beside the public internet: IP addresses, " +
					"networks such as 10.20.0.0/16, and hosts. Absent: nothing.",
				Items: setting("An IP address, a network or a host.")}},
			{Name: "policy", Schema: policySchema("The guards of a plan, as tight or as loose as they are to be.")},
			{Name: "allow", Schema: &jsonschema.Schema{Type: jsonschema.Types{"array"},
				Description: "Allowances given beforehand.", Items: closed("An allowance.", jsonschema.Properties{
					{Name: "allow", Schema: setting("What is allowed, as --allow takes it.")},
					{Name: "until", Schema: setting("Last day it holds, YYYY-MM-DD.")},
					{Name: "plan", Schema: setting("Hash of the one plan it is for.")},
					{Name: "owner", Schema: setting("Who allows it.")}, {Name: "reason", Schema: setting("Why.")},
				})}},
		}
	}
	accounts := &jsonschema.Schema{
		Type:        jsonschema.Types{"object"},
		Description: "By account id: what is said of one account alone, with the keys of this file.",
	}
	whole := closed("The operator's file of adsync: where the service is, where its key lies, and how much may happen.",
		append(section(), jsonschema.Property{Name: "accounts", Schema: accounts}))
	whole.Title = "adsync: the operator's file"
	return whole
}

func oauthSchema() *jsonschema.Schema {
	return closed("How a person logs in by adsync login, in the place of a key.", jsonschema.Properties{
		{Name: "authorize_url", Schema: setting("Where the person is asked.")},
		{Name: "token_url", Schema: setting("Where tokens are issued and renewed.")},
		{Name: "revoke_url", Schema: setting("Where adsync logout revokes them. Absent: they are only forgotten.")},
		{Name: "client_id", Schema: setting("Under which adsync is registered.")},
		{Name: "scopes", Schema: &jsonschema.Schema{Type: jsonschema.Types{"array"},
			Description: "What the person is asked to allow. Absent: ads.admin.all.read, ads.admin.all.write and " +
				"offline_access. A plan needs the first alone.", Items: setting("A scope.")}},
		{Name: "tokens", Schema: setting("File of the tokens, from the folder of this file, or keyring. " +
			"Absent: a file in adsync/ of your own state folder.")},
	})
}

func gitSchema() *jsonschema.Schema {
	key := func(help string) *jsonschema.Schema {
		return closed(help, jsonschema.Properties{
			{Name: "env", Schema: setting("Environment variable that holds it.")}, {Name: "file",
				Schema: setting("File that holds it.")}, {Name: "command", Schema: setting("Command that prints it.")},
		})
	}
	return closed("The repository the files are in. Its credentials go to its host and to no other.",
		jsonschema.Properties{
			{Name: "url", Schema: setting("Address: https://host/path, " +
				"ssh://user@host/path, user@host:path, or a path. No password stands in it.")},
			{Name: "ref", Schema: setting("Branch, tag or full commit. Absent: the branch its HEAD names.")},
			{Name: "path", Schema: setting("Folder of the project in the repository. Absent: its top.")},
			{Name: "token", Schema: key("Where the token for https is; one of the three.")},
			{Name: "ssh_key", Schema: setting("File of the private key for ssh. Absent: the agent's keys.")},
			{Name: "passphrase", Schema: key("Where the passphrase of ssh_key is; one of the three.")},
			{Name: "known_hosts", Schema: setting("File with the keys of hosts, for ssh. Absent: ~/.ssh/known_hosts.")},
			{Name: "ca", Schema: setting("File of certificates that are trusted beside the system's, for https.")},
			{Name: "signers", Schema: setting("File of those " +
				"whose signature a commit must have: allowed_signers, or public keys of GPG. Absent: no check.")},
			{Name: "author", Schema: setting("Who commits " +
				"results and proposals, as Name <address>. Absent: adsync <adsync@localhost>.")},
			{Name: "timeout", Schema: setting("Longest fetch or push, such as 2m. Absent: 2m.")},
		})
}

func bulkSchema() *jsonschema.Schema {
	choice := func(c policy.Choice) *jsonschema.Schema {
		return &jsonschema.Schema{Enum: c.Words(), Description: c.Help}
	}
	return closed("How bulk jobs are used. What is absent is auto.", jsonschema.Properties{
		{Name: "repeat_parent", Schema: choice(policy.RepeatParent)},
		{Name: "rehearse", Schema: choice(policy.Rehearse)},
	})
}

func publishSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Enum: policy.Publish.Words(), Description: policy.Publish.Help + " Absent: " + policy.Publish.Default + ".",
	}
}
