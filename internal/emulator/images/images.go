// Package images reads uploaded images and the images behind URLs. It decodes
// them whole and refuses what is not JPEG, PNG or WebP. It never leaves the
// machine: only loopback addresses are fetched; every other URL stands for a
// generated image that is always the same for that URL. Its invariant: an Image
// has been decoded, or was never more than its URL.
package images

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"image"
	_ "image/jpeg" // decoder
	_ "image/png"  // decoder
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	_ "golang.org/x/image/webp" // decoder

	"adsync/internal/emulator/wire"
)

// Image is what is known of an image.
type Image struct {
	Format        string // jpeg, png, webp
	Width, Height int    // pixels
	Size          int    // bytes
	SHA256        string // hex
}

// MinSide is the least width and height of a creative image, pixels (interface, part 2).
const MinSide = 640

// formats are those of part 2; a program may have registered further decoders.
var formats = []string{"jpeg", "png", "webp"}

const (
	maxPixels = 100 << 20
	// MaxBytes bounds an image file; the service's own bound is not published.
	MaxBytes = 32 << 20
)

// Decode reads a whole image; minSide is the least width and height in pixels.
func Decode(data []byte, minSide int) (Image, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || !slices.Contains(formats, format) {
		return Image{}, wire.Invalidf("file", "invalid_image", "The file is no JPEG, PNG or WebP image.")
	}
	if config.Width < minSide || config.Height < minSide {
		return Image{}, wire.Invalidf("file", "image_too_small",
			"The image is %d by %d pixels; want at least %d by %d.", config.Width, config.Height, minSide, minSide)
	}
	if config.Width*config.Height > maxPixels {
		return Image{}, wire.Invalidf("file", "image_too_large",
			"The image is %d by %d pixels, which is too large.", config.Width, config.Height)
	}
	if _, _, err := image.Decode(bytes.NewReader(data)); err != nil {
		return Image{}, wire.Invalidf("file", "invalid_image", "The %s image is damaged: %v.", format, err)
	}
	sum := sha256.Sum256(data)
	return Image{format, config.Width, config.Height, len(data), hex.EncodeToString(sum[:])}, nil
}

// Source gives the images behind URLs.
type Source struct {
	missing func(path string) bool
	client  *http.Client
}

// NewSource fetches from loopback only. missing reports paths of other hosts
// that answer 404; nil means those containing /missing/.
func NewSource(missing func(path string) bool) *Source {
	if missing == nil {
		missing = func(path string) bool { return strings.Contains(path, "/missing/") }
	}
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: onlyLoopback}
	return &Source{missing: missing, client: &http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{DialContext: dialer.DialContext},
	}}
}

// Close lets go of idle connections.
func (s *Source) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// Fetch returns the image behind an http or https URL. Its errors are refusals: a
// 4xx is final, a 5xx may be tried again.
func (s *Source) Fetch(ctx context.Context, address string, minSide int) (Image, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return Image{}, wire.Invalidf("image_url",
			"invalid_url", "The image URL %q is no http or https address.", address)
	}
	if !isLoopback(u.Hostname()) {
		return s.stand(u)
	}
	data, err := s.get(ctx, u)
	if err != nil {
		return Image{}, err
	}
	return Decode(data, minSide)
}

// stand is the generated image of an address that is not fetched: a square PNG
// that nobody draws until someone looks at it.
func (s *Source) stand(u *url.URL) (Image, error) {
	if s.missing(u.Path) {
		return Image{}, fetchFailed(http.StatusNotFound, u)
	}
	sum := sha256.Sum256([]byte(u.String()))
	return Image{"png", 1200, 1200, 20_000 + int(sum[0])*100 + int(sum[1]), hex.EncodeToString(sum[:])}, nil
}

func (s *Source) get(ctx context.Context, u *url.URL) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, wire.Invalidf("image_url", "invalid_url", "The image URL %q is no http or https address.", u)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, wire.Refusef(http.StatusServiceUnavailable,
			"image_fetch_failed", "image_url", "The image could not be fetched from %s.", u.Host)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fetchFailed(resp.StatusCode, u)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxBytes+1))
	if err != nil {
		return nil, wire.Refusef(http.StatusServiceUnavailable,
			"image_fetch_failed", "image_url", "The image at %s could not be read to its end.", u.Host)
	}
	if len(data) > MaxBytes {
		return nil, wire.Invalidf("image_url", "image_too_large", "The image is larger than %d bytes.", MaxBytes)
	}
	return data, nil
}

func fetchFailed(status int, u *url.URL) error {
	if status >= 500 || status == http.StatusTooManyRequests {
		return wire.Refusef(http.StatusServiceUnavailable,
			"image_fetch_failed", "image_url", "The image URL %s answered %d.", u, status)
	}
	return wire.Invalidf("image_url", "image_not_found", "The image URL %s answered %d.", u, status)
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
