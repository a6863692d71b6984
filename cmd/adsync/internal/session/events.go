package session

import (
	"context"
	"net/url"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/sources/config"
)

// EventsTo returns where conversion events are sent, and the conversion API key: both are the
// operator's. It refuses the key of the account, which is for the service alone.
func EventsTo(ctx context.Context, env *Env, p config.Project) (to *url.URL, by adsapi.Secret, err error) {
	o, problems := Operator(env, p)
	if diag.HasErrors(problems) {
		return nil, by, Invalid(env, Loaded{Project: p}, problems)
	}
	if o.EventsURL.Value == "" || o.EventsKey.From == "" {
		return nil, by, console.Configuration("the operator's file does not say where events go; want there " +
			"events_url, such as https://bzr.openai.com/v1/events, and events_credentials, such as " +
			"{file: events.key}, which adsync conversions key makes")
	}
	if to, err = url.Parse(o.EventsURL.Value); err != nil {
		return nil, by, console.Configuration("%s: events_url is no address", o.EventsURL.Position)
	}
	text, err := SecretOf(ctx, env, o.EventsKey)
	if err != nil {
		return nil, by, err
	}
	switch ours, err := key(env, p); {
	case text == "":
		return nil, by, console.Configuration("%s: there is no key; want a conversion API key", o.EventsKey.Position)
	case err == nil && ours.Reveal() == text:
		return nil, by, console.Configuration("%s: that is the API key of the account, which is never sent to the "+
			"address of events; want a conversion API key, which adsync conversions key makes", o.EventsKey.Position)
	}
	return to, adsapi.NewSecret(text), nil
}
