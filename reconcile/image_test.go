package reconcile_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"
)

// testImage is a picture the service takes: 640 by 640.
func testImage(t *testing.T) []byte {
	t.Helper()
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, 640, 640))); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}
