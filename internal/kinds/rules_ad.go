package kinds

import (
	"encoding/json"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// ofAd are the rules an ad keeps by itself.
func ofAd() []resource.Rule {
	return []resource.Rule{{Name: "service facts, 4.2: image_crop is fractions from 0 to 1", Check: cropInside}}
}

// cropInside wants the four fractions, and the part within the image.
func cropInside(value func(string) resource.Value) *resource.Finding {
	v := value("image_crop")
	if !v.IsSet() {
		return nil
	}
	var crop struct{ X, Y, Width, Height *float64 }
	decoder := json.NewDecoder(strings.NewReader(v.Text()))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&crop) == nil && crop.X != nil && crop.Y != nil && crop.Width != nil && crop.Height != nil &&
		*crop.X >= 0 && *crop.Y >= 0 && *crop.Width > 0 && *crop.Height > 0 &&
		*crop.X+*crop.Width <= whole && *crop.Y+*crop.Height <= whole {
		return nil
	}
	return &resource.Finding{
		Code: diag.BadValue, Attribute: "image_crop",
		Message: "image_crop is " + diag.Printable(v.Text()) +
			`; want a part of the image, such as {"x": 0.1, "y": 0, "width": 0.8, "height": 0.8}`,
	}
}

// whole is all of an image's side, with room for how fractions add up.
const whole = 1 + 1e-9
