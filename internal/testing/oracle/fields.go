package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// field is where the service keeps an attribute of the files.
type field struct {
	name string // in the files
	path string // in the record
}

// fields are written down from the interface, not taken from the program.
var fields = map[string][]field{
	"campaign": {
		{"name", "name"}, {"status", "status"}, {"bidding_type", "bidding_type"},
		{"budget.daily", "budget.daily_spend_limit_micros"}, {"budget.lifetime", "budget.lifetime_spend_limit_micros"},
		{"description", "description"}, {"tracking", "landing_page_configuration.query_string_template"},
		{"targeting.countries", "targeting.locations.countries"},
	},
	"ad_group": {
		{"name", "name"}, {"status", "status"}, {"bid.max", bidAt}, {"bid.multipliers", factorsAt},
		{"description", "description"}, {"tracking", "landing_page_configuration.query_string_template"},
		{"context_hints", "context_hints"},
	},
	"ad": {
		{"name", "name"}, {"status", "status"}, {"title", "creative.title"}, {"body", "creative.body"},
		{"target_url", "creative.target_url"}, {"tracking", "landing_page_configuration.query_string_template"},
	},
	"audience":           {{"name", "name"}, {"status", "status"}, {"description", "description"}},
	"spend_limit_window": {{"name", "name"}, {"amount", "amount_micros"}, {"start", "start_date"}, {"end", "end_date"}},
	"daily_spend_limit":  {{"amount", "amount_micros"}, {"start", "start_date"}, {"end", "end_date"}},
	"pixel":              {{"name", "name"}},
	"event_setting":      {{"name", "name"}, {"event_type", "event_type"}},
	"account":            {{"account_name", "account_name"}, {"brand_name", "brand_name"}, {"status", "status"}},
}

// hasKey are the kinds whose creates carry a key.
var hasKey = map[string]bool{"campaign": true, "ad_group": true, "ad": true}

// What else is told apart of kinds: those of which there is one, with its tag, those
// that people are in, those that bound what the account spends, those without a name, those
// that spend and those that have bids, where those are written and read that have no address
// of their own, and where a record names what it stands beneath.
var (
	only      = map[string]string{"account": "account"}
	ofPeople  = map[string]bool{"audience": true}
	bounds    = map[string]bool{"spend_limit_window": true, "daily_spend_limit": true}
	nameless  = map[string]bool{"daily_spend_limit": true}
	writtenAt = map[string]string{"daily_spend_limit": "/ad_account/daily_spend_limit"}
	spends    = map[string]bool{"campaign": true}
	haveBids  = map[string]bool{"ad_group": true}
	parentAt  = map[string]string{"ad_group": "campaign_id", "ad": "ad_group_id"}
	readAt    = map[string]string{
		"account": "/ad_account", "spend_limit_window": limitsPath, "daily_spend_limit": limitsPath,
	}
)

// kindOf is what the files call what W calls otherwise.
var kindOf = map[string]string{
	"custom_audience": "audience", "conversion_pixel": "pixel",
	"conversion_event_setting": "event_setting", "ad_account": "account",
	"custom_audience_operation": membership, "audience_file": membersFile,
}

// KindOf returns the kind of an entry of W as the files call it.
func KindOf(resource string) string { return cmp.Or(kindOf[resource], resource) }

// amounts are the fields that hold micros.
var amounts = []string{"budget.daily", "budget.lifetime", "bid.max", "amount"}

// at returns what a record holds at a path, in the one form values are compared
// in; nil where there is nothing.
func (r Record) at(path string) any {
	var value any = map[string]any(r)
	for part := range strings.SplitSeq(path, ".") {
		inner, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = inner[part]
	}
	return plain(value)
}

func (r Record) text(path string) string {
	text, _ := r.at(path).(string)
	return text
}

// plain takes off what a service may do to a value without changing what it
// means: blanks at the ends, the order of a list, the case of a host, nothing
// for an empty value.
func plain(value any) any {
	switch v := value.(type) {
	case string:
		return plainText(v)
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			return v.String()
		}
		return n
	case []string:
		return plainList(v)
	case []any:
		texts := make([]string, len(v))
		for i, each := range v {
			texts[i] = fmt.Sprint(each)
			if id, micros := factorIn(each); id != "" {
				texts[i] = factorText(id, micros)
			}
		}
		return plainList(texts)
	}
	return value
}

func plainText(text string) any {
	text = strings.TrimSpace(text)
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		host, path, _ := strings.Cut(rest, "/")
		text = scheme + "://" + strings.ToLower(host) + "/" + path
	}
	if text == "" {
		return nil
	}
	return text
}

func plainList(list []string) any {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// same reports whether two values in that form are equal.
func same(a, b any) bool { return a == b }

// tag is whose resource this is: the first word of its name, and of its title
// where a service has not named it yet.
func (r Record) tag() string {
	if r.at("daily") == true { // it has no name, and its first day never changes
		return "d" + r.text("start_date")
	}
	for _, path := range []string{"name", "creative.title"} {
		if first, _, _ := strings.Cut(strings.TrimSpace(r.text(path)), " "); first != "" {
			return first
		}
	}
	return ""
}

// tag of an entry follows the resource through changes of its name.
func (e *Entry) tag() string {
	if tag := only[e.Kind]; tag != "" {
		return tag
	}
	if e.Before != nil {
		if tag := e.Before.tag(); tag != "" {
			return tag
		}
	}
	return e.After.tag()
}

// wants returns what the files say of an attribute, and whether they say it.
func (f Files) wants(tag, name string) (any, bool) {
	item, ok := f[tag]
	if !ok {
		return nil, false
	}
	value, ok := item.Values[name]
	return plain(value), ok
}
