// Package passkey has people log in by passkeys (WebAuthn): a key that stays on their phone, computer or stick, which
// asks for a finger, a face or a PIN, and works at one address alone.
//
// It refuses to keep anything: what it made of a new passkey is a line for the operator, which has no secret in it. Its
// one invariant: whoever proves a passkey answered a challenge of this process, made a short while ago, and answered
// once.
package passkey

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"adsync/internal/daemon/roles"
	"adsync/internal/words/catalogue"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Party is the page at which passkeys log in. It is safe for many goroutines.
type Party struct {
	own  *webauthn.WebAuthn
	now  func() time.Time
	seal cipher.AEAD // of a key of this process

	mu   sync.Mutex
	used map[string]time.Time // challenges that were answered, and when
}

// New makes the page of an address. Browsers know passkeys of a name alone, and with TLS, but on this machine.
func New(page string, now func() time.Time) (*Party, error) {
	u, err := url.Parse(page)
	if err != nil || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "localhost") {
		return nil, errors.New("passkeys name no address of this page; want such as https://ads.example.com")
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return nil, errors.New("passkeys are of a name, and no browser has one of a number; want such as " +
			"https://ads.example.com")
	}
	own, err := webauthn.New(&webauthn.Config{RPID: u.Hostname(), RPDisplayName: "adsync", RPOrigins: []string{page},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired}})
	if err != nil {
		return nil, err
	}
	key := make([]byte, 32)
	rand.Read(key) // never fails: crypto/rand
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	return &Party{own: own, now: now, seal: seal, used: map[string]time.Time{}}, err
}

// key is a passkey, as far as it is told to the page.
type key struct {
	ID     []byte `json:"id"`
	Public []byte `json:"key"`
	User   []byte `json:"user"` // what the device calls its user: drawn, and nobody's name
	Backup bool   `json:"backup"`
}

// prefix is what each line begins with.
const prefix = "passkey1."

func (k key) line() string {
	b, _ := json.Marshal(k) // bytes always have a JSON form
	return prefix + base64.RawURLEncoding.EncodeToString(b)
}

var errLine = errors.New("it is no passkey; want a line as the page /passkey shows it, such as " + prefix + "…")

func read(line string) (k key, err error) {
	text, is := strings.CutPrefix(line, prefix)
	b, err := base64.RawURLEncoding.DecodeString(text)
	if !is || err != nil || json.Unmarshal(b, &k) != nil || len(k.ID) == 0 || len(k.Public) == 0 || len(k.User) == 0 {
		return key{}, errLine
	}
	return k, nil
}

// Check returns what is wrong with a line.
func Check(line string) error {
	_, err := read(line)
	return err
}

// Proof returns what is kept of a passkey that logged somebody in: another line is another.
func Proof(line string) string {
	sum := sha256.Sum256([]byte(line))
	return hex.EncodeToString(sum[:8])
}

// The library asks a key for its one user.

func (k key) WebAuthnID() []byte          { return k.User }
func (k key) WebAuthnName() string        { return "adsync" }
func (k key) WebAuthnDisplayName() string { return "adsync" }
func (k key) WebAuthnCredentials() []webauthn.Credential {
	return []webauthn.Credential{{ID: k.ID, PublicKey: k.Public,
		Flags: webauthn.CredentialFlags{BackupEligible: k.Backup}}}
}

// Challenge is what a browser is asked, and what it sends back along with the answer.
type Challenge struct{ Options, Flight string }

// lasts is how long a challenge may be answered.
const lasts = 10 * time.Minute

// flight is a challenge that was not answered yet. Nothing is kept of it here.
type flight struct {
	Session webauthn.SessionData
	Since   time.Time
}

func (p *Party) challenge(options any, s *webauthn.SessionData) (Challenge, error) {
	asked, err := json.Marshal(options)
	if err != nil {
		return Challenge{}, err
	}
	text, err := json.Marshal(flight{*s, p.now()})
	if err != nil {
		return Challenge{}, err
	}
	return Challenge{string(asked), base64.RawURLEncoding.EncodeToString(p.seal.Seal(nil, nil, text, nil))}, nil
}

var errFlight error = catalogue.Text("failed.passkey-old")

// take returns what was asked, once.
func (p *Party) take(text string) (s webauthn.SessionData, err error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return s, errFlight
	}
	var f flight
	if b, err = p.seal.Open(nil, nil, b, nil); err != nil || json.Unmarshal(b, &f) != nil {
		return s, errFlight
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for challenge, at := range p.used {
		if now.Sub(at) > 2*lasts {
			delete(p.used, challenge)
		}
	}
	_, before := p.used[f.Session.Challenge]
	if age := now.Sub(f.Since); before || age > lasts || age < -lasts {
		return s, errFlight
	}
	p.used[f.Session.Challenge] = now
	return f.Session, nil
}

// Ask returns what makes a new passkey.
func (p *Party) Ask() (Challenge, error) {
	user := make([]byte, 32)
	rand.Read(user) // never fails: crypto/rand
	options, s, err := p.own.BeginRegistration(key{User: user})
	if err != nil {
		return Challenge{}, err
	}
	return p.challenge(options.Response, s)
}

// Made returns the line of a passkey that was made.
func (p *Party) Made(text, answer string) (line string, err error) {
	s, err := p.take(text)
	if err != nil {
		return "", err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return "", catalogue.Text("failed.no-passkey")
	}
	made, err := p.own.CreateCredential(key{User: s.UserID}, s, parsed)
	if err != nil {
		return "", catalogue.Text("failed.other-passkey")
	}
	return key{made.ID, made.PublicKey, s.UserID, made.Flags.BackupEligible}.line(), nil
}

// Login returns what asks for a passkey, whosever it is.
func (p *Party) Login() (Challenge, error) {
	options, s, err := p.own.BeginDiscoverableLogin()
	if err != nil {
		return Challenge{}, err
	}
	return p.challenge(options.Response, s)
}

// ErrWrong is a passkey that is nobody's, or an answer that proves none.
var ErrWrong error = catalogue.Text("failed.passkey")

// Prove returns whose passkey answered, and its line. With ErrWrong somebody may be guessing.
func (p *Party) Prove(text, answer string, people []roles.Person) (who roles.Person, line string, err error) {
	s, err := p.take(text)
	if err != nil {
		return who, "", err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return who, "", ErrWrong
	}
	find := func(id, user []byte) (webauthn.User, error) {
		for _, person := range people {
			for _, one := range person.Passkeys {
				if k, err := read(one); err == nil && bytes.Equal(k.ID, id) && bytes.Equal(k.User, user) {
					who, line = person, one
					return k, nil
				}
			}
		}
		return nil, ErrWrong
	}
	if _, err = p.own.ValidateDiscoverableLogin(find, s, parsed); err != nil {
		return roles.Person{}, "", ErrWrong
	}
	return who, line, nil
}
