package passkey

import (
	"errors"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon/roles"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func TestPagesThatHaveNoPasskeys(t *testing.T) {
	for page, good := range map[string]bool{
		"https://ads.example.com": true, "https://ads.example.com:8443": true, "http://localhost:8787": true,
		"http://ads.example.com": false, "https://10.0.0.7": false, "https://[::1]": false,
		"http://127.0.0.1:8787":    false,
		"https://ads.example.com/": false, "https://ads.example.com/x": false, "ads.example.com": false, "": false,
		"https://a:b@ads.example.com": false, "https://ads.example.com?x": false, "https://ads.example.com#x": false,
	} {
		if _, err := New(page, time.Now); (err == nil) != good {
			t.Errorf("%q: %v", page, err)
		}
	}
}

func TestLinesThatAreNoPasskey(t *testing.T) {
	good := key{[]byte("id"), []byte("public"), []byte("user"), true}.line()
	if k, err := read(good); err != nil || string(k.User) != "user" || !k.Backup || Proof(good) == Proof(good+"A") {
		t.Errorf("%+v, %v", k, err)
	}
	for _, line := range []string{"", "x", prefix, prefix + "!!", prefix + "e30", good[1:], good + " ",
		"passkey2" + good[8:]} {
		if Check(line) == nil {
			t.Errorf("%q is taken", line)
		}
	}
}

// X13: a challenge is of one process, counts for ten minutes, and once; nothing that is no answer logs anybody in.
func TestX13AChallengeCountsOnce(t *testing.T) {
	now := noon
	start := func() *Party {
		p, err := New("https://ads.example.com", func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := start()
	line := key{[]byte("a"), []byte("b"), []byte("c"), true}.line()
	people := []roles.Person{{Name: "anna", Passkeys: []string{line}}}
	for name, row := range map[string]struct {
		at    *Party
		later time.Duration
		fresh bool
	}{
		"at once": {p, 0, true}, "late": {p, lasts, true}, "too late": {p, lasts + time.Second, false},
		"at another process": {start(), 0, false},
	} {
		now = noon
		c, err := p.Login()
		if err != nil {
			t.Fatal(err)
		}
		now = noon.Add(row.later)
		who, _, err := row.at.Prove(c.Flight, `{"id":"YQ"}`, people)
		if errors.Is(err, ErrWrong) != row.fresh || err == nil || who.Name != "" {
			t.Errorf("%s: %+v, %v; want it to be looked at: %t", name, who, err, row.fresh)
		}
		if _, _, err := p.Prove(c.Flight, `{}`, people); row.at == p && (err == nil || errors.Is(err, ErrWrong)) {
			t.Errorf("%s: once more: %v", name, err)
		}
	}
	c, err := p.Ask()
	if err != nil || !strings.Contains(c.Options, `"residentKey":"required"`) ||
		!strings.Contains(c.Options, `"userVerification":"required"`) {
		t.Errorf("a new passkey is asked for by %s, %v", c.Options, err)
	}
	if line, err := p.Made(c.Flight, `{"id":"x"}`); err == nil {
		t.Errorf("%q was made of nothing", line)
	}
}
