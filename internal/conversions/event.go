package conversions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"adsync/internal/pattern"
)

// event is one event as it is sent (service facts, section 11). Its keys in user are an assumption
// (docs/develop/assumptions.md): what they are is not published.
type event struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	At           int64           `json:"timestamp_ms"`
	ActionSource string          `json:"action_source"`
	CustomName   string          `json:"custom_event_name,omitempty"`
	SourceURL    string          `json:"source_url,omitempty"`
	Ref          string          `json:"oppref,omitempty"`
	OtherRef     string          `json:"obref,omitempty"`
	OptOut       bool            `json:"opt_out,omitempty"`
	User         *person         `json:"user,omitempty"`
	Data         json.RawMessage `json:"data"`
}

// person is who did it: hashes alone.
type person struct {
	Email string `json:"email_sha256,omitempty"`
	Phone string `json:"phone_number_sha256,omitempty"`
}

// The bounds of the service (service facts, section 11).
const (
	MostEvents = 1000 // of a request
	mostPast   = 7 * 24 * time.Hour
	mostFuture = 10 * time.Minute
	mostID     = 255
	mostURL    = 2048
	mostAmount = 1 << 53
)

const custom = "custom"

var (
	// dataTypes are the types of events and of the data that goes with each. assumption: which data a type
	// of event goes with is not published; the column Data type says otherwise.
	dataTypes = map[string]string{
		"app_installed": "customer_action", "app_opened": "customer_action",
		"appointment_scheduled": "customer_action", "checkout_started": "contents", "contents_viewed": "contents",
		"items_added": "contents", "lead_created": "customer_action", "order_created": "contents",
		"page_viewed": "contents", "registration_completed": "customer_action",
		"subscription_created": "plan_enrollment", "trial_started": "plan_enrollment", custom: custom,
	}
	kindsOfData   = []string{"contents", "customer_action", "plan_enrollment", custom}
	actionSources = []string{"web", "mobile_app", "offline", "physical_store", "phone_call", "email", "other"}
	customName    = pattern.Of(`^[a-z0-9_-]{1,64}$`)
	currencyCode  = pattern.Of(`^[A-Z]{3}$`)
	// addressed is somebody's e-mail address, also as it stands in an address of a page.
	addressed = pattern.Of(`(?i)[^\s@"/?&=]+(@|%40)[^\s@"/?&=]+\.[a-z]{2,}`)
)

// check returns what the service would refuse of an event at any time, in words that quote nothing of it.
func (e *event) check() error {
	standard := dataTypes[e.Type] != ""
	app := strings.HasPrefix(e.Type, "app_")
	switch n := utf8.RuneCountInString(e.ID); {
	case strings.TrimSpace(e.ID) == "":
		return errors.New("has no id; want one that stays the same when the event is sent again")
	case n > mostID || strings.ContainsFunc(e.ID, unicode.IsControl):
		return fmt.Errorf("id has %d characters or a control character; want at most %d", n, mostID)
	case e.Type == "":
		return errors.New("has no type; want such as order_created")
	case !standard:
		return errors.New("type is none of the service's; want such as order_created or lead_created, or custom " +
			"with a custom_event_name")
	case e.Type != custom && e.CustomName != "":
		return errors.New("custom_event_name stands with a type of the service; want it with the type custom alone")
	case e.Type == custom && !customName.MatchString(e.CustomName):
		return errors.New("custom_event_name is not 1 to 64 of a-z, 0-9, _ and -; want such as gift_sent")
	case e.Type == custom && dataTypes[e.CustomName] != "":
		return errors.New("custom_event_name is a type of the service; want it as the type")
	case e.ActionSource == "":
		return errors.New("has no action_source; want such as offline, physical_store or web")
	case !slices.Contains(actionSources, e.ActionSource):
		return fmt.Errorf("action_source is none of the service's; want one of %s", strings.Join(actionSources, ", "))
	case app && e.ActionSource != "mobile_app":
		return errors.New("an event of an app has another action_source; want mobile_app")
	case e.At <= 0:
		return errors.New("has no time; want one such as 2026-11-02T15:04:05Z")
	}
	if err := e.checkTexts(); err != nil {
		return err
	}
	return checkData(e.Data)
}

// checkTexts holds what stands beside an event to its bounds, and looks for people in it.
func (e *event) checkTexts() error {
	if e.SourceURL != "" {
		u, err := url.Parse(e.SourceURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" ||
			utf8.RuneCountInString(e.SourceURL) > mostURL {
			return fmt.Errorf("source_url is no http or https address of at most %d characters; want one", mostURL)
		}
	}
	if utf8.RuneCountInString(e.Ref) > mostURL || utf8.RuneCountInString(e.OtherRef) > mostURL {
		return fmt.Errorf("oppref or obref has over %d characters; want at most that", mostURL)
	}
	for name, text := range map[string]string{"id": e.ID, "source_url": e.SourceURL, "oppref": e.Ref,
		"obref": e.OtherRef, "data": string(e.Data)} {
		if addressed.MatchString(text) {
			return fmt.Errorf("%s holds an e-mail address, which would go out as it is; "+
				"want people in email alone, which is hashed", name)
		}
	}
	return nil
}

// checkData holds the data of an event to what is published of it.
func checkData(data json.RawMessage) error {
	fields := map[string]json.RawMessage{}
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] != '{' ||
		json.Unmarshal(data, &fields) != nil {
		return errors.New("data is no object; want one such as {\"type\": \"contents\"}")
	}
	if _, there := fields["type"]; there {
		if kind, ok := textOf(fields["type"]); !ok || !slices.Contains(kindsOfData, kind) {
			return fmt.Errorf("the type of data is none of the service's; want one of %s",
				strings.Join(kindsOfData, ", "))
		}
	}
	code, isText := textOf(fields["currency"])
	if _, there := fields["currency"]; there && (!isText || !currencyCode.MatchString(code)) {
		return errors.New("currency is no code of three capital letters; want such as USD")
	}
	if raw, there := fields["amount"]; there {
		var amount json.Number
		n, err := int64(0), json.Unmarshal(raw, &amount)
		if err == nil && raw[0] != '"' {
			n, err = amount.Int64()
		}
		switch {
		case err != nil || raw[0] == '"' || n < 0 || n > mostAmount:
			return errors.New("amount is no whole number of minor units such as cents; want one from 0 up")
		case code == "":
			return errors.New("an amount stands without a currency; want a code such as USD")
		}
	}
	return nil
}

func textOf(raw json.RawMessage) (text string, ok bool) {
	ok = len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil
	return text, ok
}

// timely reports whether the service takes an event at a time.
func (e *event) timely(now time.Time) error {
	at := time.UnixMilli(e.At)
	switch {
	case at.Before(now.Add(-mostPast)):
		return errors.New("is more than 7 days ago; the service takes events of the last 7 days")
	case at.After(now.Add(mostFuture)):
		return errors.New("is more than 10 minutes ahead; want a time that has come")
	}
	return nil
}
