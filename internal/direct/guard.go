package direct

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"adsync/internal/adsapi"
)

// ErrNotItsEndpoint is a request that the verb may not send; nothing was sent.
var ErrNotItsEndpoint = errors.New("this verb may not send it")

// anyID stands for an id in a path.
const anyID = "{id}"

// Client sends the endpoint of one verb and reads what the verb names; its transport refuses
// everything else, whoever asks.
type Client struct{ service *adsapi.Client }

// Dial makes the client of a verb; dial makes that of the account.
func (v Verb) Dial(dial func(adsapi.Config) (*adsapi.Client, error)) (*Client, error) {
	if v.Elsewhere {
		return nil, fmt.Errorf("%s is not sent to the service; want its own address", v.Name)
	}
	service, err := dial(adsapi.Config{Only: v.permits})
	if err != nil {
		return nil, err
	}
	return &Client{service}, nil
}

// Reader reads only.
func (c *Client) Reader() *adsapi.Client { return c.service.Reader() }

// Send sends the endpoint. It goes again where that cannot do it twice, as Mutate says.
func (c *Client) Send(ctx context.Context, m adsapi.Mutation) (adsapi.Record, error) {
	return c.service.Mutate(ctx, m)
}

// permits refuses a request that is neither the endpoint of the verb nor a read it names.
func (v Verb) permits(method, path string) error {
	switch {
	case method == v.Method && matches(v.Path, path):
		return nil
	case method == http.MethodGet && (path == "/ad_account" ||
		slices.ContainsFunc(v.Reads, func(read string) bool { return matches(read, path) })):
		return nil
	}
	return fmt.Errorf("%w: %s sends %s %s, not %s %q", ErrNotItsEndpoint, v.Name, v.Method, v.Path, method, path)
}

// matches reports whether a path is of a pattern, segment by segment.
func matches(pattern, path string) bool {
	wanted, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(wanted) != len(have) || pattern == "" {
		return false
	}
	for i, segment := range wanted {
		if segment != have[i] && (segment != anyID || have[i] == "") {
			return false
		}
	}
	return true
}

// Carry is a transport for a verb that is sent elsewhere: it lets one address pass, by the
// method of the verb, and nothing else. Who uses it follows no redirect.
func (v Verb) Carry(address *url.URL, next http.RoundTripper) http.RoundTripper {
	return carrier{v, address, next}
}

type carrier struct {
	verb    Verb
	address *url.URL
	next    http.RoundTripper
}

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	a := c.address
	if !c.verb.Elsewhere || r.Method != c.verb.Method || r.URL.Scheme != a.Scheme || r.URL.Host != a.Host ||
		r.URL.EscapedPath() != a.EscapedPath() || r.URL.User != nil || (r.Host != "" && r.Host != a.Host) {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, fmt.Errorf("%w: %s sends %s to %s alone", ErrNotItsEndpoint, c.verb.Name, c.verb.Method, a.Host)
	}
	return c.next.RoundTrip(r)
}
