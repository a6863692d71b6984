package config

import (
	"net/url"
	"slices"

	"adsync/internal/diag"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// eventsURL reads the address that conversion events are sent to: https or, on this machine, http.
func (w *settingReader) eventsURL(node *yaml.Node) Setting {
	s := w.setting(node, "events_url")
	u, err := url.Parse(s.Value)
	if s.Value == "" {
		return s
	}
	here := err == nil && slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path == "",
		u.Scheme != "https" && (u.Scheme != "http" || !here):
		w.Report(node, diag.BadProject, "events_url is no plain https address; "+
			"want such as https://bzr.openai.com/v1/events, without a key or a question in it", "")
		return Setting{}
	}
	return s
}
