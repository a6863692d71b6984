package openid

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"
)

// FlightLasts is how long somebody may take at the provider.
const FlightLasts = 10 * time.Minute

// flight is a login that is under way. The browser keeps it, sealed: whichever daemon of a database it comes back to
// can open it, and nothing is kept of those that never do.
type flight struct {
	State, Nonce, Verifier, Back string
	Since                        time.Time
}

// sealer seals by a key that the client's secret makes: all daemons of a database have the same.
func sealer(c Config) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(c.Secret.Reveal()), []byte(c.ClientID+" "+c.Issuer),
		"adsync: logins that are under way", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (p *Provider) sealed(f flight) string {
	text, _ := json.Marshal(f) // texts and times always have a JSON form
	return base64.RawURLEncoding.EncodeToString(p.seal.Seal(nil, nil, text, nil))
}

// opened returns the login of a cookie; false where it is none of this daemon's.
func (p *Provider) opened(cookie string) (f flight, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil {
		return f, false
	}
	text, err := p.seal.Open(nil, nil, b, nil)
	if err != nil {
		return f, false
	}
	return f, json.Unmarshal(text, &f) == nil && f.State != ""
}
