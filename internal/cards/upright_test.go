package cards

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// quarters are the colours of a picture that is twice as wide as high: two above two.
var quarters = []color.RGBA{{200, 0, 0, 255}, {0, 200, 0, 255}, {0, 0, 200, 255}, {200, 200, 0, 255}}

func quartered() image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 160, 80))
	for x := range 160 {
		for y := range 80 {
			m.SetRGBA(x, y, quarters[y/40*2+x/80])
		}
	}
	return m
}

// exif is what a camera writes of how it was held, in one order of bytes or the other.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	head := "II*\x00"
	if order.AppendUint16(nil, 1)[0] == 0 {
		head = "MM\x00*"
	}
	b := order.AppendUint32([]byte(head), 8)
	b = order.AppendUint16(b, 2)
	for _, entry := range [][2]uint16{{0x0100, 160}, {0x0112, orientation}} {
		b = order.AppendUint16(order.AppendUint16(b, entry[0]), 3)
		b = order.AppendUint16(order.AppendUint16(order.AppendUint32(b, 1), entry[1]), 0)
	}
	return order.AppendUint32(b, 0)
}

// photo is a JPEG of a phone that was held in some way.
func photo(t testing.TB, block []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, quartered(), &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	segment := binary.BigEndian.AppendUint16([]byte("\xff\xe1"), uint16(2+6+len(block)))
	segment = append(append(segment, "Exif\x00\x00"...), block...)
	return slices.Concat([]byte("\xff\xd8"), segment, b.Bytes()[2:])
}

// pngOf is a PNG of a phone that was held in some way.
func pngOf(t testing.TB, block []byte) []byte {
	t.Helper()
	plain := encoded(t, quartered())
	chunk := append([]byte("eXIf"), block...)
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk))
	const head = 8 + 4 + 4 + 13 + 4
	return slices.Concat(plain[:head], binary.BigEndian.AppendUint32(nil, uint32(len(block))), chunk, sum, plain[head:])
}

// seenQuarters are the quarters of the middle square of what is in an area, in the order of their colours.
func seenQuarters(m image.Image, area image.Rectangle) (seen []int) {
	middle := squareIn(area)
	for i := range 4 {
		x := middle.Min.X + middle.Dx()*(1+2*(i%2))/4
		y := middle.Min.Y + middle.Dy()*(1+2*(i/2))/4
		r, g, b, _ := m.At(x, y).RGBA()
		seen = append(seen, slices.IndexFunc(quarters, func(c color.RGBA) bool {
			return (c.R > 100) == (r>>8 > 100) && (c.G > 100) == (g>>8 > 100) && (c.B > 100) == (b>>8 > 100)
		}))
	}
	return seen
}

// A thumbnail stands as Chromium shows the picture, however the phone was held.
func TestAPhonesPictureStandsUpright(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	var pictures [][]byte
	for o := range uint16(9) {
		pictures = append(pictures, photo(t, exif(binary.LittleEndian, o)), photo(t, exif(binary.BigEndian, o)))
	}
	dir := t.TempDir()
	var page strings.Builder
	page.WriteString(`<body style="margin:0">`)
	for i, p := range pictures {
		fmt.Fprintf(&page, `<img style="position:absolute;left:%dpx;top:0" src="data:image/jpeg;base64,%s">`,
			i*160, base64.StdEncoding.EncodeToString(p))
	}
	if err := os.WriteFile(filepath.Join(dir, "page.html"), []byte(page.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "chromium-headless-shell", "--headless", "--no-sandbox",
		"--disable-gpu",
		"--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--force-device-scale-factor=1", fmt.Sprintf("--window-size=%d,400", len(pictures)*160),
		"--screenshot="+filepath.Join(dir, "page.png"), "file://"+filepath.Join(dir, "page.html")).CombinedOutput()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, out)
	}
	shot, err := os.Open(filepath.Join(dir, "page.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer shot.Close()
	shown, err := png.Decode(shot)
	if err != nil {
		t.Fatal(err)
	}
	several := map[string]bool{}
	for i, p := range pictures {
		size := image.Pt(160, 80)
		if o := i / 2; o >= 5 {
			size = image.Pt(80, 160)
		}
		corner := image.Pt(i*160, 0)
		want := seenQuarters(shown, image.Rectangle{corner, corner.Add(size)})
		content, err := Thumbnail(p, "", 64)
		if err != nil {
			t.Fatal(err)
		}
		small, err := jpeg.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if got := seenQuarters(small, small.Bounds()); !slices.Equal(got, want) {
			t.Errorf("orientation %d: the thumbnail has the quarters %v; Chromium shows %v", i/2, got, want)
		}
		several[fmt.Sprint(want)] = true
	}
	if len(several) != 8 {
		t.Errorf("Chromium shows %d different pictures; want 8", len(several))
	}
}

// The part that a card shows is one of the upright picture. PNG and WebP say how they stand, too.
func TestThePartOfAnUprightPicture(t *testing.T) {
	block := exif(binary.BigEndian, 6) // a quarter turn: what is stored at the lower left is seen at the upper left
	for name, p := range map[string][]byte{"JPEG": photo(t, block), "PNG": pngOf(t, block)} {
		content, err := Thumbnail(p, `{"x": 0, "y": 0, "width": 0.5, "height": 0.5}`, 64)
		if err != nil {
			t.Fatal(err)
		}
		small, err := jpeg.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := seenQuarters(small, small.Bounds()), []int{2, 2, 2, 2}; !slices.Equal(got, want) {
			t.Errorf("%s: the upper left of the picture has the quarters %v; want %v", name, got, want)
		}
	}
	webp := slices.Concat([]byte("RIFF\x00\x00\x00\x00WEBPVP8L\x01\x00\x00\x00\x2f\x00EXIF"),
		binary.LittleEndian.AppendUint32(nil, uint32(len(block))), block)
	if o := orientation(webp); o != 6 {
		t.Errorf("a WebP has the orientation %d; want 6", o)
	}
}

// What is cut or lies of itself stands as it is stored.
func FuzzOrientation(f *testing.F) {
	for _, whole := range [][]byte{photo(f, exif(binary.LittleEndian, 3)), pngOf(f, exif(binary.BigEndian, 8))} {
		f.Add(whole[:200])
		f.Add(whole[:60])
	}
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPEXIF\xff\xff\xff\xff"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00*\xff\xff\xff\xff"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if o := orientation(content); o < 1 || o > 8 {
			t.Errorf("orientation %d", o)
		}
	})
}
