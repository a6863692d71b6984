package roles

import (
	"strings"
	"testing"
)

func TestTheHigherRoleCounts(t *testing.T) {
	g := Grant{Everywhere: Viewer, On: map[string]Role{"shop": Approver}}
	for account, want := range map[string]Role{"shop": Approver, "hats": Viewer, "": Viewer} {
		if got := g.Role(account); got != want {
			t.Errorf("on %q: %s; want %s", account, got, want)
		}
	}
	both := Grant{On: map[string]Role{"shop": Viewer, "hats": Editor}}.
		With(Grant{On: map[string]Role{"shop": Operator}})
	if both.Role("shop") != Operator || both.Role("hats") != Editor || both.Role("boots") != None {
		t.Errorf("%+v", both)
	}
	if seen := both.Seen(); strings.Join(seen, " ") != "hats shop" {
		t.Errorf("seen: %q", seen)
	}
	if seen := (Grant{}).Seen(); seen == nil || len(seen) != 0 {
		t.Errorf("who has no role sees %q; want none, and not all", seen)
	}
}

// Whoever the provider calls as a person of the configuration is called is not that person.
func TestALoginIsNoName(t *testing.T) {
	r := Rules{People: []Person{{Name: "anna", Login: "anna@example.com", Grant: Grant{Everywhere: Operator}}},
		Machines: []Machine{{Name: "nightly"}}, Groups: map[string]Grant{"buyers": {Everywhere: Editor}}}
	for _, row := range []struct {
		login string
		want  Role
	}{
		{"anna@example.com", Operator}, {"Anna@Example.COM", Operator},
		{"anna", None}, {"ANNA", None}, {"nightly", None}, {"carl", Editor},
		{"anna@example.com ", Editor}, {"ánna@example.com", Editor},
	} {
		if got := r.Proven(row.login, []string{"buyers", "unknown"}).Grant.Everywhere; got != row.want {
			t.Errorf("%q is %s; want %s", row.login, got, row.want)
		}
	}
}

func TestPasswords(t *testing.T) {
	const text = "four words and one more"
	hash, err := HashPassword(text)
	if err != nil || CheckHash(hash) != nil || CheckHash(hash+"\n") != nil {
		t.Fatal(hash, err, CheckHash(hash))
	}
	if other, _ := HashPassword(text); other == hash {
		t.Error("two hashes of a password are the same: there is no salt")
	}
	if _, err := HashPassword("hunter2hunter2"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a short password: %v", err)
	}
	r := Rules{People: []Person{{Name: "anna", Password: hash}, {Name: "ben"}}}
	for _, row := range []struct {
		name, password string
		want           bool
	}{
		{"anna", text, true}, {"anna", text + " ", false}, {"anna", "", false},
		{"Anna", text, false}, {"ben", "", false}, {"ben", text, false}, {"", "", false},
	} {
		if _, got := r.ByPassword(row.name, row.password); got != row.want {
			t.Errorf("%q with %q: %t; want %t", row.name, row.password, got, row.want)
		}
	}
}

// A hash that the reference program makes: printf %s "four words and one more" |
// argon2 saltsaltsalt -id -t 2 -m 12 -p 1 -l 24 -e
func TestAHashOfTheReferenceProgramIsTaken(t *testing.T) {
	r := Rules{People: []Person{{Name: "anna",
		Password: "$argon2id$v=19$m=4096,t=2,p=1$c2FsdHNhbHRzYWx0$8vHTISX2CaN2ReyI/XYiYILgeekrBDa8"}}}
	if _, in := r.ByPassword("anna", "four words and one more"); !in {
		t.Error("it is not taken")
	}
}

func TestHashesThatAreNone(t *testing.T) {
	good, err := HashPassword("four words and one more")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"nothing": "", "a password": "four words and one more", "bcrypt": "$2y$10$abcdefghijklmnopqrstuv",
		"argon2i":         strings.Replace(good, "argon2id", "argon2i", 1),
		"another version": strings.Replace(good, "v=19", "v=16", 1),
		"no memory":       strings.Replace(good, "m=65536", "m=0", 1),
		"all the memory":  strings.Replace(good, "m=65536", "m=4294967295", 1),
		"no threads":      strings.Replace(good, "p=4", "p=0", 1),
		"many threads":    strings.Replace(good, "p=4", "p=260", 1),
		"no passes":       strings.Replace(good, "t=3", "t=0", 1),
		"many passes":     strings.Replace(good, "t=3", "t=4000000000", 1),
		"more behind it":  strings.Replace(good, "p=4", "p=4,x=1", 1),
		"no key":          good[:strings.LastIndex(good, "$")+1],
	} {
		if CheckHash(text) == nil {
			t.Errorf("%s is taken: %q", name, text)
		}
	}
}
