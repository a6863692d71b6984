package journeys

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var pictures = flag.String("pictures", "", "the folder to draw the pictures of docs/use/walk.md anew in")

// pictureMost is how many bytes a picture of the documentation has at most.
const pictureMost = 150 << 10

// TestAMarketersDay is the day that docs/use/walk.md tells, with LibreOffice and Chromium.
// Without the flag its pictures are for nobody, so that they can be drawn whenever
// somebody wants to.
func TestAMarketersDay(t *testing.T) {
	makeJourneys(t, "testdata/walk", "interface", "")
}

// picture NAME sheet WORKBOOK SHEET [HEADER...], or picture NAME page PATH [SELECTOR].
func takePicture(ts *testscript.TestScript, _ bool, args []string) {
	folder := *pictures
	if folder == "" {
		folder = ts.MkAbs(".")
	}
	var picture []byte
	if args[1] == "sheet" {
		picture = drawSheet(ts, ts.MkAbs(args[2]), args[3], args[4:])
	} else {
		picture = drawPage(ts, args[2], append(args[3:], "")[0])
	}
	if len(picture) > pictureMost || len(picture) < 3<<10 {
		ts.Fatalf("%s has %d bytes; want at most %d, and a picture", args[0], len(picture), pictureMost)
	}
	ts.Check(os.WriteFile(filepath.Join(folder, args[0]+".png"), picture, 0o644))
}
