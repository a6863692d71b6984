package roles

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// What a password costs: the second choice of RFC 9106, part 4, for machines with little memory.
const (
	passes  = 3
	memory  = 64 << 10 // KiB
	threads = 4
	saltLen = 16
	hashLen = 32
)

// What a hash from elsewhere may cost at most.
const (
	memoryMost = 1 << 20 // KiB
	passesMost = 20
)

// passwordLeast is how many characters a password has at least (NIST SP 800-63B, 3.1.1.2, for one that stands alone).
const passwordLeast = 15

// HashPassword returns what the configuration keeps of a password: argon2id, as a PHC string.
func HashPassword(text string) (string, error) {
	if n := len([]rune(text)); n < passwordLeast {
		return "", fmt.Errorf("the password has %d characters; want %d or more, such as four words", n, passwordLeast)
	}
	salt := make([]byte, saltLen)
	rand.Read(salt) // never fails: crypto/rand
	key := argon2.IDKey([]byte(text), salt, passes, memory, threads, hashLen)
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, memory, passes, threads, b64(salt), b64(key)), nil
}

var errHash = errors.New("the password's hash is none; want a line as adsync hash-password prints it, " +
	"such as $argon2id$v=19$m=65536,t=3,p=4$…")

// hash is a PHC string, read.
type hash struct {
	memory, passes uint32
	threads        uint8
	salt, key      []byte
}

func readHash(text string) (h hash, err error) {
	parts := strings.Split(strings.TrimSpace(text), "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return h, errHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.threads); err != nil {
		return h, errHash
	}
	costs := fmt.Sprintf("m=%d,t=%d,p=%d", h.memory, h.passes, h.threads)
	if costs != parts[3] || h.threads == 0 || h.passes == 0 || h.passes > passesMost ||
		h.memory < 8*uint32(h.threads) || h.memory > memoryMost {
		return h, errHash
	}
	if h.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil || len(h.salt) < 8 {
		return h, errHash
	}
	if h.key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil || len(h.key) < 16 || len(h.key) > 64 {
		return h, errHash
	}
	return h, nil
}

// CheckHash returns what is wrong with the hash of a password.
func CheckHash(text string) error {
	_, err := readHash(text)
	return err
}

// unknown is compared where nobody of the name has a password, so that it takes as long as where somebody has.
var unknown = hash{memory, passes, threads, make([]byte, saltLen), make([]byte, hashLen)}

// ByPassword returns who logs in by a name and a password. It takes tens of milliseconds and memory of tens of
// MiB: few at once.
func (r *Rules) ByPassword(name, password string) (Person, bool) {
	person, there := r.Named(name)
	h, err := readHash(person.Password)
	if !there || err != nil {
		h, there = unknown, false
	}
	key := argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.threads, uint32(len(h.key)))
	return person, subtle.ConstantTimeCompare(key, h.key) == 1 && there
}
