package sources_test

import (
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/sources/config"
	"adsync/sources/tree"

	"github.com/xuri/excelize/v2"
)

// The keys of this test are made up.
const (
	pastedKey   = "sk-aB3dE5gH7jK9mN1pQ3sT5vW7"
	pastedToken = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
)

// Fault row X2: a credential in a file that others read is warned of at its
// place, in sheets and notes nobody reads too, and is itself in no problem and in
// no line that is shown.
func TestX2PastedCredentialsAreWarnedOf(t *testing.T) {
	warning := func(at, what string) string {
		return at + ": warning: here stands what looks like " +
			what + "; want no credential in a file that others read (ADS1038)"
	}
	for _, row := range []struct {
		name, file, content string
		want                []string
	}{
		{"a value of YAML", "ads.yaml", "kind: campaign\nkey: a\nname: " + pastedKey +
			"\nbidding_type: clicks\nbudget: {daily: 10}\n", []string{warning("ads.yaml:3:7", "an API key")}},
		{"a comment of YAML", "ads.yaml", "kind: campaign\nkey: a\n# ü " + pastedToken + "\nname: Spring\n" +
			"bidding_type: clicks\nbudget: {daily: 10}\n", []string{warning("ads.yaml:3:5", "a token of GitHub")}},
		{"a key nobody knows", "ads.yaml", "kind: campaign\n" +
			"key: a\nname: Spring\nbidding_type: clicks\nbudget: {daily: 10}\napi_key: " + pastedKey + "\n",
			[]string{"ads.yaml:6:1: \"api_key\" is no key of a campaign", warning("ads.yaml:6:10", "an API key")}},
		{"a file that does not parse", "ads.yaml",
			"kind: [\n" + pastedKey + "\n", []string{"ads.yaml", warning("ads.yaml:2:1", "an API key")}},
		{"a cell of CSV", "campaigns.csv",
			"Campaign,Bidding,Daily budget,#ine\nSpring,clicks,10.00,\"see https://ann:s3cret@git.example.com\"\n",
			[]string{warning("campaigns.csv:2:38", "an address with a password")}},
		{"a private key", "ads.yaml", "kind: campaign\nkey: a\nname: Spring\nbidding_type: clicks\nbudget: " +
			"{daily: 10}\n# -----BEGIN OPENSSH PRIVATE KEY-----\n", []string{warning("ads.yaml:6:3", "a private key")}},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := folder(t, map[string]string{row.file: row.content})
			d := load(t, dir)
			var problems []diag.Problem
			for _, p := range d.Problems {
				if p.Code != diag.NoSources {
					problems = append(problems, p)
				}
			}
			wantProblems(t, problems, row.want...)
			var out strings.Builder
			must(t, diag.Render(&out, d.Problems, tree.SourceLine(config.Project{Root: dir})))
			for _, pasted := range []string{pastedKey, pastedToken, "s3cret"} {
				if strings.Contains(out.String(), pasted) {
					t.Errorf("problems show %s:\n%s", pasted, out.String())
				}
			}
		})
	}
}

func TestX2PastedCredentialsInAWorkbook(t *testing.T) {
	const warned = ": warning: here stands what looks like an API key"
	for _, row := range []struct {
		name  string
		paste func(*excelize.File) error
		want  string
	}{
		{"in a row", func(f *excelize.File) error {
			return f.SetCellValue("Campaigns", "A2", "Spring "+pastedKey)
		}, "Campaigns!A2" + warned},
		{"beside the rows", func(f *excelize.File) error {
			return f.SetCellValue("Campaigns", "Z40", pastedKey)
		}, "Campaigns!Z40" + warned},
		{"in rich text", func(f *excelize.File) error {
			return f.SetCellRichText("Campaigns", "Z41",
				[]excelize.RichTextRun{{Text: pastedKey[:9]}, {Text: pastedKey[9:]}})
		}, "Campaigns!Z41" + warned},
		{"in a sheet nobody reads", func(f *excelize.File) error {
			if _, err := f.NewSheet("Mine"); err != nil {
				return err
			}
			return f.SetCellValue("Mine", "B3", "the key: "+pastedKey)
		}, "Mine!B3" + warned},
		{"in a note", func(f *excelize.File) error {
			return f.AddComment("Campaigns", excelize.Comment{Cell: "B2", Author: "Ann", Text: pastedKey})
		}, "q4.xlsx" + warned},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := readBytes(bookWith(t, func(f *excelize.File) { must(t, row.paste(f)) },
				campaignsSheet, adGroupsSheet))
			var told []string
			for _, p := range got.Problems {
				if p.Code == diag.Leaked {
					told = append(told, p.String())
				}
			}
			if len(told) != 1 || !strings.HasPrefix(strings.TrimPrefix(told[0], "q4.xlsx:"),
				strings.TrimPrefix(row.want, "q4.xlsx:")) || strings.Contains(told[0], pastedKey) {
				t.Errorf("problems are %q; want one, %s", told, row.want)
			}
		})
	}
}

// A credential in adsync.yaml is warned of as well.
func TestX2PastedCredentialsInTheProjectFile(t *testing.T) {
	p, problems := config.ReadProject(folder(t, map[string]string{
		"adsync.yaml": "account: {currency: USD} # " + pastedKey + "\n",
	}))
	wantProblems(t, problems, "adsync.yaml:1:28: warning: here stands what looks like an API key")
	if line, _ := tree.SourceLine(p)("adsync.yaml", 1); strings.Contains(line, pastedKey) {
		t.Errorf("line 1 is shown as %q", line)
	}
}
