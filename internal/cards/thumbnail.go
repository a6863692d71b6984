package cards

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"

	scaling "golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// What is decoded at most: a small file may be a picture that fills the memory.
const (
	mostSide   = 8192 // pixels
	mostPixels = 16 << 20
	iconSide   = 2048 // of an icon
)

// quality of a thumbnail, of 100.
const quality = 80

// formats are how the pictures are read that an ad may have.
var formats = map[string]struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}{
	"image/png":  {png.DecodeConfig, png.Decode},
	"image/jpeg": {jpeg.DecodeConfig, jpeg.Decode},
	"image/webp": {webp.DecodeConfig, webp.Decode},
}

// Thumbnail returns a picture as a square JPEG whose sides have at most so many pixels: the middle of the part that a
// card shows. crop is that of a Card. What is transparent becomes white, and a phone's picture stands upright.
func Thumbnail(picture []byte, crop string, side int) ([]byte, error) {
	return thumbnail(picture, crop, side, mostSide, mostPixels)
}

// Icon returns the picture of a brand as a Thumbnail. What is decoded is less than of a picture of an ad.
func Icon(picture []byte, side int) ([]byte, error) {
	return thumbnail(picture, "", side, iconSide, iconSide*iconSide)
}

func thumbnail(picture []byte, crop string, side, mostSide, mostPixels int) ([]byte, error) {
	format, known := formats[MediaType(picture)]
	if !known {
		return nil, errors.New("it is no PNG, JPEG or WebP")
	}
	c, err := format.config(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("read picture: %w", err)
	}
	if max(c.Width, c.Height) > mostSide || c.Width*c.Height > mostPixels || min(c.Width, c.Height) < 1 {
		return nil, fmt.Errorf("it has %d by %d pixels; want at most %d of them, and %d a side",
			c.Width, c.Height, mostPixels, mostSide)
	}
	whole, err := format.decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("read picture: %w", err)
	}
	turn, size := orientation(picture), whole.Bounds().Size()
	seen := squareIn(pixelsOf(image.Rectangle{Max: turned(size, turn)}, crop))
	from := image.Rectangle{storedAt(seen.Min, size, turn), storedAt(seen.Max, size, turn)}.Canon().
		Add(whole.Bounds().Min)
	side = min(side, from.Dx())
	small := image.NewRGBA(image.Rect(0, 0, side, side))
	scaling.Draw(small, small.Bounds(), image.NewUniform(color.White), image.Point{}, scaling.Src)
	scaling.CatmullRom.Scale(small, small.Bounds(), whole, from, scaling.Over, nil)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, upright(small, turn), &jpeg.Options{Quality: quality}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// pixelsOf are those of a picture that are shown, at least one.
func pixelsOf(whole image.Rectangle, crop string) image.Rectangle {
	p, is := partOf(crop)
	if !is {
		return whole
	}
	at := func(first, sides int, of float64) int { return first + min(int(math.Round(float64(sides)*of)), sides) }
	x, y := at(whole.Min.X, whole.Dx()-1, p.X), at(whole.Min.Y, whole.Dy()-1, p.Y)
	return image.Rect(x, y, max(x+1, at(whole.Min.X, whole.Dx(), p.X+p.Width)),
		max(y+1, at(whole.Min.Y, whole.Dy(), p.Y+p.Height)))
}

// squareIn is the largest square in the middle.
func squareIn(r image.Rectangle) image.Rectangle {
	side := min(r.Dx(), r.Dy())
	x, y := r.Min.X+(r.Dx()-side)/2, r.Min.Y+(r.Dy()-side)/2
	return image.Rect(x, y, x+side, y+side)
}
