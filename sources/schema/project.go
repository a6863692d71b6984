package schema

import (
	"adsync/internal/jsonschema"
	"adsync/sources/config"
)

// Project describes adsync.yaml, for editors.
func Project() *jsonschema.Schema {
	whole := closed("The project file of adsync: which account the files "+
		"beside it are for, and how careful to be. No address and no credential stands in it.", jsonschema.Properties{
		{Name: "account", Schema: closed("The ad account "+
			"the files belong to. adsync refuses to go on when the key belongs to another one.", jsonschema.Properties{
			{Name: "id", Schema: setting("The account's id, as the service gives it.")},
			{Name: "currency", Schema: &jsonschema.Schema{
				Type: jsonschema.Types{"string"}, Pattern: config.CurrencyCode.String(), Description: "Currency of " +
					"every amount in the files, as three capital letters.", Examples: []string{"USD"},
			}},
			{Name: "timezone", Schema: &jsonschema.Schema{
				Type: jsonschema.Types{"string"}, Pattern: visible, Not: &jsonschema.Schema{Const: "Local"},
				Description: "Time zone of every day in the files, as its IANA name.",
				Examples:    []string{"Europe/Paris"},
			}},
			{Name: "limits", Schema: closed("How many that are not "+
				"archived the account may have, where that is not the 5,000 of a self-serve account.", limitSchemas())},
		})},
		{Name: "sources", Schema: &jsonschema.Schema{
			Type: jsonschema.Types{"array"}, MinItems: 1, Description: "Paths and globs " +
				"of the files to read, from this folder. Absent: every YAML file and workbook.",
			Items: &jsonschema.Schema{
				Type: jsonschema.Types{"string"}, Pattern: visible,
				Not: &jsonschema.Schema{Pattern: `^/|(?:^|/)\.\.(?:/|$)|\\`},
			},
		}},
		{Name: "service", Schema: &jsonschema.Schema{
			Const: "emulator", Description: "emulator runs " +
				"the service inside the command, to try things. Absent: the operator names the service.",
		}},
		{Name: "state", Schema: stateSchema()},
		{Name: "bulk", Schema: bulkSchema()},
		{Name: "publish", Schema: publishSchema()},
		{Name: "domains", Schema: &jsonschema.Schema{
			Type: jsonschema.Types{"array"}, MinItems: 1,
			Description: "Domains where landing pages may be, with what lies beneath them. Absent: anywhere.",
			Items: &jsonschema.Schema{
				Type: jsonschema.Types{"string"}, Pattern: config.DomainName.String(),
				Examples: []string{"shop.example"},
			},
		}},
		{Name: "ignore", Schema: &jsonschema.Schema{Type: jsonschema.Types{"array"}, Description: "Attributes that " +
			"are left to others: not compared and not sent while it lasts.", Items: entryOfTexts(
			"resource", "Kind and key, such as campaign/spring-*.",
			"attribute", "The attribute, such as budget.daily.", "owner",
			"Who looks after it instead.", "reason", "Why.", "until", "The last day, such as 2026-12-31.")}},
		{Name: "own_columns", Schema: &jsonschema.Schema{
			Type:        jsonschema.Types{"array"},
			Description: "Headers of columns that are your own: they are kept, and not read, on every sheet.",
			Items: &jsonschema.Schema{
				Type: jsonschema.Types{"string", "number"}, Pattern: visible, Examples: []string{"Owner"},
			},
		}},
		{Name: "sheets", Schema: closed("Sheets that "+
			"hold the rows of a kind under another name than adsync's, as many as there are.", sheetSchemas())},
		{Name: "moved", Schema: &jsonschema.Schema{
			Type: jsonschema.Types{"array"}, Description: "Keys that were " +
				"changed: what was applied goes on under the new one.", Items: entryOfTexts("from",
				"The address before, such as campaign/old.", "to", "The address now, such as campaign/new."),
		}},
		{Name: "policy", Schema: policySchema("The guards of " +
			"a plan. A limit may only be tighter than the operator's, or than the default.")},
	})
	whole.Title = "adsync: the project file"
	return whole
}

func closed(help string, properties jsonschema.Properties) *jsonschema.Schema {
	object := jsonschema.Closed(properties)
	object.Description = help
	return object
}

// setting is a text of the project file; the reader goes by what is written.
func setting(help string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: jsonschema.Types{"string", "number"}, Pattern: visible, Description: help}
}

func stateSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: jsonschema.Types{"string"}, Pattern: visible,
		Not: &jsonschema.Schema{Pattern: `^/|(?:^|/)\.\.(?:/|$)|\\`},
		Description: "Folder of adsync's own state, " +
			"from the project's folder. The operator's file alone chooses it. Absent: .adsync.",
	}
}

func limitSchemas() jsonschema.Properties {
	var limits jsonschema.Properties
	for _, kind := range config.LimitedKinds {
		limits = append(limits, jsonschema.Property{
			Name: string(kind), Schema: &jsonschema.Schema{
				Type: jsonschema.Types{"integer"}, Minimum: "1", Maximum: "999999999", Description: "At most so many.",
			},
		})
	}
	return limits
}

// entryOfTexts is a mapping of texts that are all required; names and helps in turn.
func entryOfTexts(texts ...string) *jsonschema.Schema {
	var properties jsonschema.Properties
	var names []string
	for i := 0; i+1 < len(texts); i += 2 {
		properties = append(properties, jsonschema.Property{Name: texts[i], Schema: setting(texts[i+1])})
		names = append(names, texts[i])
	}
	object := jsonschema.Closed(properties)
	object.Required = names
	return object
}

func sheetSchemas() jsonschema.Properties {
	var forms jsonschema.Properties
	for _, form := range config.SheetKinds {
		forms = append(forms, jsonschema.Property{Name: form, Schema: &jsonschema.Schema{
			Type: jsonschema.Types{"array"}, Items: &jsonschema.Schema{
				Type: jsonschema.Types{"string", "number"}, Pattern: visible, Not: &jsonschema.Schema{Pattern: `^\s*#`},
			},
			Description: "Names of sheets, such as \"Ads Q1\".",
		}})
	}
	return forms
}
