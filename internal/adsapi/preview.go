package adsapi

import (
	"context"
	"errors"
	escaped "html"
	"net/http"
	"regexp"
)

// previewFrame is the address in the frame that a preview is (service facts, 4.4).
var previewFrame = regexp.MustCompile(`<iframe[^>]*\ssrc\s*=\s*"([^"]{1,1000})"`)

// Preview asks for the preview of a live ad: POST /ads/{id}/preview, which changes
// nothing. It returns the address of its frame, which whoever has it may open.
func (c *Client) Preview(ctx context.Context, id string) (address string, err error) {
	path, err := JoinPath("ads", id, "preview")
	if err != nil {
		return "", refuse(http.MethodPost, "/ads", err)
	}
	e, err := parseEndpoint(path)
	if err != nil {
		return "", refuse(http.MethodPost, path, err)
	}
	err = c.do(ctx, request{method: http.MethodPost, endpoint: e, repeatable: true}, func(body []byte) (err error) {
		address, err = decodePreview(body)
		return err
	})
	return address, err
}

func decodePreview(body []byte) (string, error) {
	var wire struct {
		Data []struct {
			Body text `json:"body"`
		} `json:"data"`
	}
	if err := unmarshalObject(body, &wire); err != nil {
		return "", err
	}
	for _, p := range wire.Data {
		if m := previewFrame.FindStringSubmatch(p.Body.value); m != nil {
			return escaped.UnescapeString(m[1]), nil
		}
	}
	return "", errors.New("it has no frame with an address; want one")
}
