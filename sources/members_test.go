package sources_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/members"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/attach"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/workbook"

	"github.com/google/go-cmp/cmp"
)

// The canaries: they, and what a plain SHA-256 makes of them, are in no output.
const (
	canaryEmail = "canary.person@secret.example"
	canaryPhone = "+4915550198765"
)

func audienceOf(file, identifier string) string {
	return "kind: audience\nkey: customers\nname: Customers 2026\nmembers: {file: " +
		file + ", identifier: " + identifier + "}\n"
}

func loadMembers(t *testing.T, identifier, content string) sources.Desired {
	t.Helper()
	return load(t, folder(t, map[string]string{
		"all.yaml": audienceOf("private/customers.csv", identifier), "private/customers.csv": content,
	}))
}

func wantNoCanary(t *testing.T, what string, outputs ...any) {
	t.Helper()
	text := strings.ToLower(fmt.Sprintf("%+v", outputs))
	for _, secret := range []string{canaryEmail, canaryPhone, strings.TrimPrefix(canaryPhone, "+"),
		plainHash(canaryEmail), plainHash(canaryEmail + "\n"), plainHash(canaryPhone), "canary"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows %q:\n%s", what, secret, text)
		}
	}
}

func plainHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestX15MembersAreADigestAndCounts(t *testing.T) {
	d := wantClean(t, loadMembers(t, "email", "E-mail;Name\n"+
		canaryEmail+";Canary Person\nbob@shop.example;Bob\nBOB@shop.example;Bob\n;\n"))
	v := valueOf(t, d, "audience/customers", "members.file")
	if !strings.HasPrefix(v.Text(), "sha256:") || v.Written() != "private/customers.csv" {
		t.Errorf("members.file = %v written %q, want a digest of the file", v, v.Written())
	}
	want := []attach.Members{{Address: "audience/customers", File: "private/customers.csv", Identifier: members.Email,
		Rows: members.Counts{Read: 4, Used: 2, Blank: 1, Duplicate: 1}, Rejected: []members.Rejection{}}}
	if diff := cmp.Diff(want, d.Members); diff != "" {
		t.Errorf("Members (-want +got):\n%s", diff)
	}
	if len(d.Sources) != 1 || d.Sources[0].File != "all.yaml" {
		t.Errorf("Sources = %+v, want the YAML file alone", d.Sources)
	}
	var yaml, book bytes.Buffer
	must(t, workbook.WriteYAML(&yaml, kinds.All(), d.Snapshot, resource.Env{}))
	must(t, workbook.WriteWorkbook(&book, kinds.All(), d.Snapshot, dollars))
	wantNoCanary(t, "Load", d.Members, d.Sources, d.Problems, v.Text(), yaml.String())
	if !strings.Contains(yaml.String(), "file: private/customers.csv") {
		t.Errorf("WriteYAML = %s, want the path of the file", yaml.String())
	}
	again := wantClean(t, load(t, folder(t, map[string]string{
		"all.xlsx": book.String(), "private/customers.csv": "bob@shop.example\n" + canaryEmail,
	})))
	if got := valueOf(t, again, "audience/customers", "members.file"); !got.Equal(v) {
		t.Errorf("the same people in another order give %v, want %v", got, v)
	}
}

// Every problem names lines and never what stands in them.
func TestX15A2A3A5ProblemsOfMembersNameNobody(t *testing.T) {
	for _, row := range []struct {
		name, identifier, content string
		want                      []string
	}{
		{"lines that are left out", "email", "email\na@b.example\nb@b.example\nc@b.example\ncanary\nCanary <" +
			canaryEmail + ">\ncanary2\n", []string{
			`all.yaml:4:17: warning: 2 lines of members file "private/customers.csv" ` +
				`hold no e-mail address (lines 5, 7), and will be left out; want an e-mail address alone (ADS1030)`,
			`1 line of members file "private/customers.csv" ` +
				`holds more than an e-mail address, such as a name or angle brackets (line 6), and will be left out`,
		}},
		{"a phone without its country", "phone", canaryPhone + "\n0" + canaryPhone[3:] + "\n",
			[]string{`1 line of members ` +
				`file "private/customers.csv" holds a telephone number without + and country code (line 2)`}},
		{"hashes where addresses are said to be", "email", plainHash(canaryEmail) + "\n", []string{
			`all.yaml:4:17: 1 line of members file "private/customers.csv" holds a hash where the plain identifier ` +
				`is said to be, so that it would be hashed twice (line 1); want an e-mail address alone (ADS1015)`,
			`all.yaml:4:17: members file "private/customers.csv" holds no identifier that can be used`,
		}},
		{"addresses where hashes are said to be", "email_sha256",
			plainHash(canaryEmail) + "\n" + canaryEmail + "\n", []string{`1 line of members ` +
				`file "private/customers.csv" holds a plain identifier where a hash is said to be (line 2)`}},
		{"the hash of nothing", "email_sha256", plainHash(canaryEmail) + "\n" + plainHash("") + "\n",
			[]string{`warning: 1 line of members file "private/customers.csv" holds the SHA-256 of nothing`}},
		{"blank lines alone", "email", "email\n\n  \n",
			[]string{`members file "private/customers.csv" holds no identifier that can be used`}},
		{"most lines cannot be used", "email", canaryEmail + "\ncanary\nb\n", []string{
			`all.yaml:4:17: warning: 2 lines of members file "private/customers.csv" ` +
				`hold no e-mail address (lines 2, 3)`, `all.yaml:4:17: members file "private/customers.csv" ` +
				`has 2 lines to leave out and 1 to use; want a file most of which can be used`,
		}},
		{"a file that is cut", "email", "b@b.example\n" + canaryEmail[:12] + "\xc3",
			[]string{`members file "private/customers.csv", line 2: line holds bytes that are not UTF-8`}},
		{"columns without names", "email", canaryEmail + ",Canary\n", []string{`members file ` +
			`"private/customers.csv", line 1: file has 2 columns and none of them is named email`}},
		{"nothing", "email", "", []string{`members file "private/customers.csv": file is empty`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := loadMembers(t, row.identifier, row.content)
			wantProblems(t, d.Problems, row.want...)
			var shown bytes.Buffer
			must(t, diag.Render(&shown, d.Problems, func(file string, line int) (string, bool) {
				return "excerpt of " + file, true
			}))
			wantNoCanary(t, "Load", d.Problems, d.Members, d.Sources, shown.String())
			if strings.Contains(shown.String(), "excerpt of private") {
				t.Errorf("an excerpt of the members file is shown:\n%s", shown.String())
			}
		})
	}
}

func TestX7X8F16MembersFilesThatAreRefused(t *testing.T) {
	dir := folder(t, map[string]string{
		"p/private/folder/x": "", "p/private/people.csv": canaryEmail + "\n", "outside.csv": canaryEmail + "\n",
	})
	must(t, syscall.Mkfifo(filepath.Join(dir, "p/private/pipe.csv"), 0o600))
	must(t, os.Symlink("people.csv", filepath.Join(dir, "p/private/link.csv")))
	must(t, os.Symlink(filepath.Join(dir, "outside.csv"), filepath.Join(dir, "p/private/out.csv")))
	for _, row := range []struct{ name, file, want string }{
		{"a pipe", "private/pipe.csv", `file is "private/pipe.csv": is not a regular file; want one`},
		{"a link", "private/link.csv",
			`file is "private/link.csv", and "private/link.csv" is a symbolic link; want the file itself`},
		{"a link out of the project", "private/out.csv", `"private/out.csv" is a symbolic link`},
		{"outside the project", "../outside.csv",
			`file is "../outside.csv"; want a path from this file's folder that stays in the project`},
		{"an absolute path", filepath.Join(dir, "outside.csv"), `outside.csv"; want a path from this file's folder`},
		{"a folder", "private/folder", `file is "private/folder": is not a regular file`},
		{"misspelt", "private/peple.csv", `file is "private/peple.csv", which is not there`},
		{"a digest", "'sha256:" + strings.Repeat("0", 64) + "'", "want a path from this file's folder"},
	} {
		t.Run(row.name, func(t *testing.T) {
			write(t, filepath.Join(dir, "p/all.yaml"), audienceOf(row.file, "email"))
			p := config.Project{Root: filepath.Join(dir, "p"), Sources: []string{"*.yaml"}}
			d := sources.Load(t.Context(), p, kinds.All())
			wantProblem(t, d, row.want)
			wantNoCanary(t, "Load", d.Problems, d.Members)
		})
	}
	in := bounded.Defaults()
	in.MembersBytes = 10
	root, err := os.OpenRoot(filepath.Join(dir, "p"))
	must(t, err)
	defer root.Close()
	if list, _, err := attach.ReadMembersFile(root, "private/people.csv", members.Email, in); list != nil ||
		err == nil || !strings.Contains(bounded.Unreadable(err).Message, "file is over 10 bytes") {
		t.Errorf("a file over its bound = %v, %v; want it refused", list, err)
	}
}

// A members file is no source: what a source says is shown. One that reads as
// both is said to, and nothing of it is used.
func TestX15MembersFilesAreNoSources(t *testing.T) {
	looksLikeAudiences := "Audience,Key,Email\nCanary Person,canary," + canaryEmail + "\n"
	both := bookOf(t, sheetOf{name: "Customers", rows: [][]any{{"email"}, {canaryEmail}}},
		sheetOf{name: "Audiences", rows: [][]any{
			{"Audience", "Key", "Members file", "Identifier"}, {"Customers 2026", "customers", "all.xlsx", "email"},
		}})
	for _, row := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a table with columns of ours", map[string]string{"all.yaml": audienceOf("audiences.csv", "email"),
			"audiences.csv": looksLikeAudiences}, `all.yaml:4:17: ` +
			`file "audiences.csv" is named as a members file and reads as a source as well; want two files`},
		{"a workbook that names itself", map[string]string{"all.xlsx": string(both)},
			`all.xlsx:Audiences!C2: file "all.xlsx" is named as a members file and reads as a source as well`},
		{"a YAML file that names itself", map[string]string{"all.yaml": audienceOf("all.yaml", "email")},
			`members file "all.yaml" holds no identifier that can be used`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := load(t, folder(t, row.files))
			wantProblem(t, d, row.want)
			if !diag.HasErrors(d.Problems) {
				t.Error("no problem is an error")
			}
			wantNoCanary(t, "Load", d.Snapshot.Addresses(), d.Sources, d.Members, d.Problems)
		})
	}
	inPrivate := wantClean(t, load(t, folder(t, map[string]string{
		"all.yaml": audienceOf("private/audiences.csv", "email"), "private/audiences.csv": looksLikeAudiences,
	})))
	if inPrivate.Snapshot.Len() != 1 || len(inPrivate.Sources) != 1 {
		t.Errorf("Load = %v from %+v, want the audience of the YAML file alone",
			inPrivate.Snapshot.Addresses(), inPrivate.Sources)
	}
	beside := wantClean(t, load(t, folder(t, map[string]string{
		"all.yaml":    audienceOf("people.xlsx", "email"),
		"people.xlsx": string(bookOf(t, sheetOf{name: "Customers", rows: [][]any{{"email"}, {canaryEmail}}})),
	})))
	if len(beside.Sources) != 1 || beside.Members[0].Rows.Used != 1 {
		t.Errorf("Load reads %+v and %+v, want a workbook of people to be no source", beside.Sources, beside.Members)
	}

	// Nor where the audience cannot be read.
	broken := load(t, folder(t, map[string]string{
		"all.yaml": "kind: [\n", "private/audiences.csv": looksLikeAudiences + "\xff\x00\n",
	}))
	wantProblem(t, broken, "private/audiences.csv: warning: file is not read: its folder is for members files")
	wantNoCanary(t, "Load", broken.Problems, broken.Snapshot.Addresses())
}

func TestMembersAreReadAgainToBeSent(t *testing.T) {
	dir := folder(t, map[string]string{
		"all.yaml":              audienceOf("private/customers.csv", "email"),
		"private/customers.csv": canaryEmail + "\nbob@shop.example\n",
	})
	d := wantClean(t, load(t, dir))
	p, digest := config.Project{Root: dir}, valueOf(t, d, "audience/customers", "members.file").Text()
	list, err := sources.ReadMembers(p, d.Members[0].File, d.Members[0].Identifier, digest)
	must(t, err)
	var sent bytes.Buffer
	_, err = list.WriteTo(&sent)
	must(t, err)
	lines := strings.Fields(sent.String())
	if len(lines) != 2 || !strings.Contains(sent.String(), plainHash("bob@shop.example")+"\n") || lines[0] > lines[1] {
		t.Errorf("sent are %q, want the hashes of the two in order", lines)
	}
	for name, change := range map[string]func() error{
		"one more person": func() error {
			return os.WriteFile(filepath.Join(dir, "private/customers.csv"),
				[]byte(canaryEmail+"\nbob@shop.example\nc@shop.example\n"), 0o600)
		},
		"one fewer": func() error {
			return os.WriteFile(filepath.Join(dir, "private/customers.csv"), []byte(canaryEmail+"\n"), 0o600)
		},
		"a file that is cut": func() error {
			return os.WriteFile(filepath.Join(dir, "private/customers.csv"), []byte(canaryEmail+"\nbob\x00"), 0o600)
		},
		"no file": func() error { return os.Remove(filepath.Join(dir, "private/customers.csv")) },
	} {
		must(t, change())
		if list, err := sources.ReadMembers(p, "private/customers.csv", members.Email, digest); list != nil ||
			err == nil {
			t.Errorf("%s: ReadMembers = %v, want an error", name, list)
		} else {
			wantNoCanary(t, name, err)
		}
	}
	for _, path := range []string{"../secret", "/etc/passwd", "", "."} {
		if _, err := sources.ReadMembers(p, path, members.Email, digest); err == nil {
			t.Errorf("ReadMembers(%q) reads, want an error", path)
		}
	}
}
