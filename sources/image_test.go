package sources_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/sources/attach"
	"adsync/sources/config"
)

func pngOf(t testing.TB, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.String()
}

func jpegOf(t testing.TB, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil))
	return b.String()
}

// The headers of WebP files of 800 by 640 pixels, as RFC 9649 lays them out.
const (
	webpLossy    = "RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00\x30\x01\x00\x9d\x01\x2a\x20\x03\x80\x02"
	webpLossless = "RIFF\x00\x00\x00\x00WEBPVP8L\x00\x00\x00\x00\x2f\x1f\xc3\x9f\x00\x00\x00\x00\x00\x00"
	webpExtended = "RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x1f\x03\x00\x7f\x02\x00"
)

func imageAd(path string) string {
	return twoCampaigns + strings.Replace(standAloneAd, "https://cdn.example/hero.png", path, 1) +
		"ad_group: spring/main\n"
}

func TestImagesBecomeTheHashOfTheirBytes(t *testing.T) {
	for _, row := range []struct{ name, file, content string }{
		{"PNG", "hero.png", pngOf(t, 640, 640)},
		{"JPEG", "hero.jpg", jpegOf(t, 641, 700)},
		{"WebP, lossy", "hero.webp", webpLossy},
		{"WebP, lossless", "hero.webp", webpLossless},
		{"WebP, extended", "hero.webp", webpExtended},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := folder(t, map[string]string{
				"ads/all.yaml": imageAd("../images/" + row.file), "images/" + row.file: row.content,
			})
			d := wantClean(t, load(t, dir))
			sum := sha256.Sum256([]byte(row.content))
			want := "sha256:" + hex.EncodeToString(sum[:])
			got := valueOf(t, d, "ad/spring/main/hero", "image")
			if got.Text() != want || got.Written() != "images/"+row.file || d.Images[want] != "images/"+row.file {
				t.Errorf("image = %s written %q, Images = %v; want %s at images/%s",
					got, got.Written(), d.Images, want, row.file)
			}
			content, err := attach.ReadImageFile(config.Project{Root: dir}, d.Images[want])
			if err != nil || string(content) != row.content {
				t.Errorf("ReadImage = %d bytes, %v; want the file's", len(content), err)
			}
		})
	}
}

func TestImagesThatAreRefused(t *testing.T) {
	for _, row := range []struct{ name, path, want string }{
		{"too small", "small.png",
			`ads.yaml:21:8: image is "small.png" with 639 by 640 pixels; want at least 640 by 640 (ADS1015)`},
		{"cut short", "cut.png", `image is "cut.png": unexpected EOF; want a JPEG, PNG or WebP file`},
		{"of another format", "text.png", `image is "text.png": its bytes are of another format`},
		{"a Git LFS pointer", "lfs.png", `image is "lfs.png": it is a Git LFS pointer`},
		{"misspelt", "smal.png", `file is "smal.png", which is not there`},
		{"X7 outside the project", "../../hero.png",
			`file is "../../hero.png"; want a path from this file's folder that stays in the project`},
		{"X7 an absolute path", "/etc/passwd", `file is "/etc/passwd"; want a path`},
		{"X8 a link", "link.png", `"link.png" is a symbolic link; want the file itself`},
		{"X8 behind a link", "linked/small.png", `"linked" is a symbolic link`},
		{"a folder", "folder", `file is "folder": is not a regular file`},
		{"the network", "ftp://cdn.example/a.png",
			`ads.yaml:21:8: image is "ftp://cdn.example/a.png"; want an http or https address`},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := folder(t, map[string]string{
				"ads.yaml": imageAd(row.path), "small.png": pngOf(t, 639, 640), "cut.png": pngOf(t, 640, 640)[:20],
				"text.png": "hello", "lfs.png": "version https://git-lfs.github.com/spec/v1\n", "folder/x": "",
			})
			must(t, os.Symlink("small.png", filepath.Join(dir, "link.png")))
			must(t, os.Symlink(".", filepath.Join(dir, "linked")))
			d := load(t, dir)
			wantProblem(t, d, row.want)
			if d.Snapshot.Len() != 4 {
				t.Errorf("Load = %d resources, want the four without the ad", d.Snapshot.Len())
			}
		})
	}
}

// The icon of a brand may be smaller than the image of an ad, also where both are one file.
func TestAnIconMayBeSmaller(t *testing.T) {
	const account = "kind: account\nfavicon: icon.png\n"
	wantClean(t, load(t, folder(t, map[string]string{"account.yaml": account, "icon.png": pngOf(t, 128, 128)})))
	wantProblem(t, load(t, folder(t, map[string]string{"account.yaml": account, "icon.png": pngOf(t, 127, 128)})),
		`image is "icon.png" with 127 by 128 pixels; want at least 128 by 128 (ADS1015)`)
	wantProblem(t, load(t, folder(t, map[string]string{
		"account.yaml": account, "icon.png": pngOf(t, 128, 128), "ads.yaml": imageAd("icon.png"),
	})), `ads.yaml:21:8: image is "icon.png" with 128 by 128 pixels; want at least 640 by 640 (ADS1015)`)
}

func TestReadImageStaysInTheProject(t *testing.T) {
	dir := folder(t, map[string]string{"p/hero.png": "x", "secret": "x"})
	must(t, os.Symlink("../secret", filepath.Join(dir, "p/link.png")))
	for _, path := range []string{"../secret", "/etc/passwd", "link.png", "gone.png", "", "."} {
		if content, err := attach.ReadImageFile((config.Project{Root: filepath.Join(dir, "p")}), path); err == nil {
			t.Errorf("ReadImage(%q) = %q, want an error", path, content)
		}
	}
}

func TestOneImageIsReadOnce(t *testing.T) {
	dir := folder(t, map[string]string{
		"ads.yaml": imageAd("hero.png") +
			strings.Replace(standAloneAd, "https://cdn.example/hero.png", "./hero.png", 1) + "ad_group: Walkers\n",
		"hero.png": pngOf(t, 640, 640),
	})
	d := wantClean(t, load(t, dir))
	if len(d.Images) != 1 {
		t.Errorf("Images = %v, want one", d.Images)
	}
}
