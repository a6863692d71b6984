package population

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func TestEveryoneIsFoundByTheirOwnIdentifiers(t *testing.T) {
	for _, kind := range Kinds {
		for _, person := range []int{0, 1, 4711, Size - 1} {
			_, hash := Read(Identifier(kind, person))
			if got, ok := Find(kind, hash); !ok || got != person {
				t.Errorf("Find(%d, hash of %q) = %d, %v; want %d", kind, Identifier(kind, person), got, ok, person)
			}
		}
		if got, ok := Find(kind, HashOf(kind, Size)); ok {
			t.Errorf("Find(%d, the next person) = %d, want nobody", kind, got)
		}
	}
	if _, ok := Find(Phone, HashOf(Email, 1)); ok {
		t.Error("an e-mail address is found among telephone numbers")
	}
}

func TestRead(t *testing.T) {
	email := sha256.Sum256([]byte("person7@people.example"))
	phone := sha256.Sum256([]byte("+15550000007"))
	rows := []struct {
		name, text string
		shape      Shape
		hash       Hash
	}{
		{"e-mail", "person7@people.example", EmailShape, email},
		{"e-mail in capitals with blanks", "  Person7@People.Example\t", EmailShape, email},
		{"e-mail with a no-break space and a byte order mark",
			"\ufeff\u00a0person7@people.example\u200b", EmailShape, email},
		{"e-mail with a tag keeps it", "person7+shop@people.example",
			EmailShape, sha256.Sum256([]byte("person7+shop@people.example"))},
		{"e-mail without a domain", "person7@", Unreadable, Hash{}},
		{"e-mail with two signs", "a@b@people.example", Unreadable, Hash{}},
		{"phone", "+15550000007", PhoneShape, phone},
		{"phone without +", "15550000007", PhoneShape, phone},
		{"phone as people write it", "+1 (555) 000-0007", PhoneShape, phone},
		{"phone of 6 digits", "123456", Unreadable, Hash{}},
		{"phone of 7 digits", "1234567", PhoneShape, sha256.Sum256([]byte("+1234567"))},
		{"phone of 16 digits", "1234567890123456", Unreadable, Hash{}},
		{"national phone", "0555000007", Unreadable, Hash{}},
		{"hash", hex.EncodeToString(email[:]), HashShape, email},
		{"hash in capitals", strings.ToUpper(hex.EncodeToString(email[:])), HashShape, email},
		{"hash of nothing", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", Unreadable, Hash{}},
		{"hash that is cut", hex.EncodeToString(email[:31]), Unreadable, Hash{}},
		{"advertising id", "38400000-8CF0-11BD-B23E-10B96E40000D",
			GAIDShape, sha256.Sum256([]byte("38400000-8cf0-11bd-b23e-10b96e40000d"))},
		{"advertising id of someone who opted out", "00000000-0000-0000-0000-000000000000", Unreadable, Hash{}},
		{"nothing", "", Unreadable, Hash{}},
		{"blanks", "   ", Unreadable, Hash{}},
		{"a name", "Jane Doe", Unreadable, Hash{}},
	}
	for _, row := range rows {
		shape, hash := Read(row.text)
		if shape != row.shape || hash != row.hash {
			t.Errorf("%s: Read(%q) = %d, %x; want %d, %x", row.name, row.text, shape, hash, row.shape, row.hash)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(" Person7@People.Example ")
	f.Add("+1 (555) 000-0007")
	f.Fuzz(func(t *testing.T, text string) {
		shape, hash := Read(text)
		lower := strings.ToLower(text)
		upper := strings.ToUpper(lower)
		if back := strings.ToLower(upper); back != lower {
			return // a letter whose capital has another small form, such as the long s
		}
		if again, same := Read("\u00a0" + upper + " "); again != shape || same != hash {
			t.Errorf("Read(%q) is %d, in capitals with blanks %d", text, shape, again)
		}
	})
}
