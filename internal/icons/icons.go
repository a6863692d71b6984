// Package icons keeps the icon of the brand of an account as the cards of ads show it: fetched from the address that
// the service gives, and drawn anew, small.
//
// It refuses to fetch more than once a day and whenever the address is another, to ask an address that is not public,
// and to keep anything as it came. Its invariant: an icon that is kept is of the address that the service gave last.
package icons

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"time"

	"adsync/internal/cards"
	"adsync/internal/fetch"
	"adsync/internal/public"
	"adsync/state/kv"
)

// name is where the icon is kept beside the state of an account.
const name = "icon.json"

// keptMost is how many bytes that has at most.
const keptMost = 64 << 10

// How often an icon is fetched: anew after a day, and not again sooner than after an hour, though its address may be
// another each time.
const (
	anew  = 24 * time.Hour
	rests = time.Hour
)

// side is that of a kept icon in pixels; a card shows it in a third of them, and sharp on every screen.
const side = 72

// limits are those of what an icon may be.
func limits() fetch.Limits {
	l := fetch.Images()
	l.Bytes, l.Time, l.Redirects = 1<<20, 5*time.Second, 3
	return l
}

// Kept is the icon of an account.
type Kept struct {
	Store kv.Store

	resolver fetch.Resolver // nil for that of the machine
}

// icon is one, and where it came from.
type icon struct {
	Address string    `json:"address"` // SHA-256 of the address without its query, which may be signed anew each time
	Tried   time.Time `json:"tried"`
	JPEG    []byte    `json:"jpeg,omitempty"` // nil where it could not be had
}

// Icon returns the icon as a JPEG, and what names these bytes; nil where there is none.
func (k Kept) Icon() (picture []byte, sum string, err error) {
	if k.Store == nil {
		return nil, "", nil
	}
	i, err := k.read()
	if err != nil || i.JPEG == nil {
		return nil, "", err
	}
	digest := sha256.Sum256(i.JPEG)
	return i.JPEG, hex.EncodeToString(digest[:8]), nil
}

func (k Kept) read() (i icon, err error) {
	content, err := k.Store.Get(name, keptMost)
	if errors.Is(err, fs.ErrNotExist) {
		return icon{}, nil
	}
	if err == nil && (json.Unmarshal(content, &i) != nil || cards.MediaType(i.JPEG) != "image/jpeg") {
		i.JPEG = nil // as if there was none: it is fetched again
	}
	return i, err
}

// Forget has no icon be kept.
func (k Kept) Forget() error {
	i, err := k.read()
	if err != nil || i.Address == "" {
		return err
	}
	return k.Store.Delete(name)
}

// Follow has the icon be that of an address, "" where the brand has none. Its error says why it cannot be had, in words
// that name the host alone; one that was had from the same address before stays. reach is what the operator lets
// through beside the public internet, nil for nothing.
func (k Kept) Follow(ctx context.Context, address string, now time.Time, reach *public.Reach) error {
	if address == "" {
		return k.Forget()
	}
	i, err := k.read()
	if err != nil {
		return err
	}
	of, age := digestOf(address), now.Sub(i.Tried)
	if same := of == i.Address; age >= 0 && (age < rests || same && age < anew) {
		if same {
			return nil
		}
		i.JPEG = nil // it is of another brand, or another picture of it
		return k.keep(i)
	}
	if of != i.Address {
		i = icon{Address: of}
	}
	i.Tried = now
	small, failed := k.small(ctx, address, reach)
	if failed == nil {
		i.JPEG = small
	}
	return errors.Join(failed, k.keep(i))
}

func (k Kept) keep(i icon) error {
	content, err := json.Marshal(i)
	if err != nil {
		return err
	}
	return k.Store.Put(name, content)
}

func digestOf(address string) string {
	if u, err := url.Parse(address); err == nil {
		u.RawQuery, u.Fragment = "", ""
		address = u.String()
	}
	digest := sha256.Sum256([]byte(address))
	return hex.EncodeToString(digest[:])
}

// small fetches an icon and draws it anew. It comes by https, but from hosts of one's own that the operator lists.
func (k Kept) small(ctx context.Context, address string, reach *public.Reach) ([]byte, error) {
	f := fetch.Fetcher{Resolver: k.resolver}
	if reach != nil {
		f.Reach = *reach
	}
	u, err := url.Parse(address)
	if err == nil && u.Scheme != "https" && (public.Reach{}).Refuse(address) == "" {
		return nil, errors.New("its address is no https address")
	}
	got, err := f.Get(ctx, address, limits())
	if err != nil {
		return nil, err
	}
	return cards.Icon(got.Bytes, side)
}
