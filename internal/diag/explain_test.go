package diag_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
)

// Every code has an explanation that is whole, with an example of that code.
func TestEveryCodeIsExplained(t *testing.T) {
	source, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	var codes, explained []string
	for _, m := range regexp.MustCompile(`Code = "(ADS[0-9]{4})"`).FindAllStringSubmatch(string(source), -1) {
		codes = append(codes, m[1])
	}
	for _, e := range diag.Explanations() {
		explained = append(explained, string(e.Code))
		if e.Means == "" || e.Why == "" || e.Do == "" || !strings.HasSuffix(e.Example, "("+string(e.Code)+")") {
			t.Errorf("%s is explained by %+v; want every field, and an example that ends with its code", e.Code, e)
		}
	}
	if len(codes) == 0 || !slices.Equal(codes, explained) {
		t.Errorf("explained are\n%q\nwant each code of codes.go once, in its order\n%q", explained, codes)
	}
}
