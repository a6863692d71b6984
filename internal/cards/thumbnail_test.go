package cards

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"runtime"
	"testing"
)

// halves is a picture whose left half is red and whose right half is blue.
func halves(t testing.TB, width, height int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			c := color.RGBA{200, 0, 0, 255}
			if x >= width/2 {
				c = color.RGBA{0, 0, 200, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return encoded(t, m)
}

func encoded(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// colourAt says which of two colours a small picture has there.
func colourAt(m image.Image, x, y int) string {
	switch r, _, b, _ := m.At(x, y).RGBA(); {
	case r>>8 > 150 && b>>8 < 100:
		return "red"
	case b>>8 > 150 && r>>8 < 100:
		return "blue"
	}
	return "neither"
}

// A thumbnail has the part that the card shows, and of it the middle.
func TestAThumbnailIsThePartOfTheCard(t *testing.T) {
	for _, row := range []struct {
		name          string
		width, height int
		crop          string
		side          int
		left, right   string
	}{
		{"the whole", 640, 640, "", 96, "red", "blue"},
		{"the middle of a wide one", 1280, 640, "", 96, "red", "blue"},
		{"the middle of a high one", 640, 1280, "", 96, "red", "blue"},
		{"its left part", 640, 640, `{"x": 0, "y": 0.25, "width": 0.5, "height": 0.5}`, 96, "red", "red"},
		{"its right part", 640, 640, `{"x": 0.5, "y": 0.5, "width": 0.5, "height": 0.5}`, 96, "blue", "blue"},
		{"a part of less than a pixel", 640, 640, `{"x": 0.9999, "y": 1, "width": 1e-9, "height": 1e-12}`, 1, "blue", "blue"},
		{"no part of it: the whole", 640, 640, `{"x": 0.9, "y": 0, "width": 0.9, "height": 1}`, 96, "red", "blue"},
		{"no JSON: the whole", 640, 640, `{"x": 0.9`, 96, "red", "blue"},
		{"a small one, which does not grow", 40, 40, "", 40, "red", "blue"},
	} {
		content, err := Thumbnail(halves(t, row.width, row.height), row.crop, 96)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		small, err := jpeg.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if b := small.Bounds(); b.Dx() != row.side || b.Dy() != row.side {
			t.Errorf("%s: the thumbnail is %v; want sides of %d", row.name, b, row.side)
		}
		left, right := colourAt(small, row.side/4, row.side/2), colourAt(small, row.side*3/4, row.side/2)
		if left != row.left || right != row.right {
			t.Errorf("%s: the thumbnail is %s and %s; want %s and %s", row.name, left, right, row.left, row.right)
		}
	}
}

// A thumbnail has few bytes, whatever is on it, and shows white where the picture shows what is behind.
func TestAThumbnailIsSmall(t *testing.T) {
	noise := image.NewRGBA(image.Rect(0, 0, 96, 96))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = byte(random.Uint32()) | byte(i%4/3*255) // of which the last of four is opaque
	}
	content, err := Thumbnail(encoded(t, noise), "", 96)
	if err != nil || len(content) > 16<<10 {
		t.Errorf("noise has a thumbnail of %d bytes, %v; want at most 16 KiB", len(content), err)
	}
	content, err = Thumbnail(encoded(t, image.NewNRGBA(image.Rect(0, 0, 640, 640))), "", 96)
	if err != nil {
		t.Fatal(err)
	}
	clear, err := jpeg.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := clear.At(48, 48).RGBA(); min(r, g, b)>>8 < 250 {
		t.Errorf("what is transparent has %d, %d, %d; want white", r>>8, g>>8, b>>8)
	}
}

// bomb is a small file that says of itself that it is a picture of so many pixels.
func bomb(t testing.TB, width, height uint32) []byte {
	t.Helper()
	content := halves(t, 2, 2)
	head := content[12:29] // of 8 bytes of a PNG, 4 of a length: the type and the values of the first chunk
	binary.BigEndian.PutUint32(head[4:], width)
	binary.BigEndian.PutUint32(head[8:], height)
	binary.BigEndian.PutUint32(content[29:], crc32.ChecksumIEEE(head))
	return content
}

// What is hostile or damaged is refused before it takes memory.
func TestAHostilePictureHasNoThumbnail(t *testing.T) {
	good := halves(t, 640, 640)
	webp := append([]byte("RIFF\x1e\x00\x00\x00WEBPVP8L\x11\x00\x00\x00\x2f\xff\xff\xff\x0f"), make([]byte, 13)...)
	for name, content := range map[string][]byte{
		"nothing": nil, "text": []byte("no picture"), "a GIF": []byte("GIF89a\x01\x00\x01\x00"),
		"half a PNG": good[:len(good)/2], "its first bytes": good[:8],
		"the first bytes of a JPEG": []byte("\xff\xd8\xff"),
		"a bomb":                    bomb(t, 60_000, 60_000), "a bomb of one column": bomb(t, 1, 1<<24),
		"sides that overflow": bomb(t, 1<<31-1, 1<<31-1), "a bomb of WebP": webp,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		small, err := Thumbnail(content, "", 96)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s has a thumbnail of %d bytes; want none", name, len(small))
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
			t.Errorf("%s takes %d bytes of memory; want 8 MiB at most", name, took)
		}
	}
}

// Each format that an ad may have has a thumbnail. The WebP is of libwebp, 1 by 1.
func TestThumbnailsOfEveryFormat(t *testing.T) {
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 700, 500)), nil); err != nil {
		t.Fatal(err)
	}
	webp, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"JPEG": photo.Bytes(), "WebP": webp,
		"PNG of 16 bits": encoded(t, image.NewNRGBA64(image.Rect(0, 0, 640, 640)))} {
		if _, err := Thumbnail(content, "", 96); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
