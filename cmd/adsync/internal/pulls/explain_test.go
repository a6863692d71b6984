package pulls

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/forge"
)

// What a comment explains, by what people wrote. A desk explains a as "of a".
func TestWhatIsExplained(t *testing.T) {
	const heading = "\n#### Explained\n"
	long := strings.Repeat("a/`@acme", 1250)
	hears := func(text string) []forge.Comment {
		return []forge.Comment{{ID: "1", By: "eve", Text: text}}
	}
	of := func(by string, addresses ...string) string {
		want := heading
		for _, a := range addresses {
			want += fmt.Sprintf("\n`%s`, for `%s`:\n\n```text\nof %s\n```\n", a, by, a)
		}
		return want
	}
	for _, row := range []struct {
		name     string
		comments []forge.Comment
		want     string
	}{
		{"an address", hears("adsync explain campaign/a"), of("eve", "campaign/a")},
		{"with a line end of Windows, and more below", hears("adsync explain campaign/a\r\nThanks!"),
			of("eve", "campaign/a")},
		{"as code", hears("adsync explain `campaign/a`"), of("eve", "campaign/a")},
		{"none", hears("adsync explain "), ""},
		{"cited", hears("> adsync explain campaign/a"), ""},
		{"in a block", hears("    adsync explain campaign/a"), ""},
		{"below another line", hears("Look:\nadsync explain campaign/a"), ""},
		{"edited", []forge.Comment{{ID: "1", By: "eve", Text: "adsync explain campaign/a", Edited: true}}, ""},
		{"of a program", []forge.Comment{{ID: "1", By: "eve", Text: "adsync explain campaign/a", Bot: true}}, ""},
		{"twice, by two", []forge.Comment{{ID: "1", By: "ann", Text: "adsync explain campaign/a"},
			{ID: "2", By: "eve", Text: "adsync explain campaign/a"}}, of("eve", "campaign/a")},
		{"of more than there is room for", func() (all []forge.Comment) {
			for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
				all = append(all, forge.Comment{ID: name, By: "eve", Text: "adsync explain campaign/" + name})
			}
			return all
		}(), of("eve", "campaign/f", "campaign/e", "campaign/d", "campaign/c", "campaign/b")},
		{"one that is long and hostile", hears("adsync explain " + long), heading + "\n``" + " " + long[:200] +
			"… ``, for `eve`:\n\n```text\n" +
			"an address has at most 200 bytes, such as campaign/spring; this has 10000\n```\n"},
		{"one that speaks for others", hears("adsync explain <!-- adsync:pull:shop --> @acme/all </details>\x1b[2J"),
			heading + "\n`<!-- adsync:pull:shop --> @acme/all </details>\\x1b[2J`, for `eve`:\n\n```text\n" +
				"of <!-- adsync:pull:shop --> @acme/all </details>\x1b[2J\n```\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newFixture(t)
			f.hub.open, f.plans[7] = []forge.Pull{{Number: 7, Head: "a"}}, "plan\n"
			f.hub.talk[7] = forge.Talk{Comments: row.comments}
			f.look(t)
			if got := strings.Join(f.hub.comments, "---"); got != "plan\n"+row.want {
				t.Errorf("the comment is\n%s\nwant\n%s", got, "plan\n"+row.want)
			}
		})
	}
}

// A question that comes later is answered, and what was answered goes with the comment that asked.
func TestAQuestionComesAndGoes(t *testing.T) {
	f := newFixture(t)
	f.hub.open, f.plans[7] = []forge.Pull{{Number: 7, Head: "a"}}, "plan\n"
	for _, row := range []struct {
		name     string
		comments []forge.Comment
		want     string // "" is no other comment
	}{
		{"nothing", nil, "plan\n"},
		{"somebody talks", []forge.Comment{{ID: "1", By: "ann", Text: "Hello"}}, ""},
		{"somebody asks", []forge.Comment{{ID: "2", By: "ann", Text: "adsync explain a/b"}}, "of a/b"},
		{"somebody talks again", []forge.Comment{{ID: "2", By: "ann", Text: "adsync explain a/b"},
			{ID: "3", By: "ann", Text: "Ah!"}}, ""},
		{"they delete it", nil, "plan\n"},
		{"somebody wants help", []forge.Comment{{ID: "4", By: "ann", Text: "adsync help"}},
			"`adsync explain ADDRESS` shows why"},
	} {
		f.hub.talk[7] = forge.Talk{Comments: row.comments}
		f.now = f.now.Add(1e9)
		f.hub.open[0].Updated, f.hub.comments = f.now, nil
		f.look(t)
		got := strings.Join(f.hub.comments, "---")
		if !strings.Contains(got, row.want) || (row.want == "") != (got == "") ||
			row.want == "plan\n" && got != row.want {
			t.Errorf("%s: the comment is %q; want %q", row.name, got, row.want)
		}
	}
}

// On a forge that cannot tell an edit, a question counts: nothing that is said needs a right.
func TestAQuestionWhereEditsAreNotTold(t *testing.T) {
	d := Desk{Forge: takes{reviews: true}}
	talk := forge.Talk{Comments: []forge.Comment{{By: "ann", Text: "adsync explain a/b", Edited: true}}}
	if got := questions(commands(d.Forge, talk)); len(got) != 1 || got[0].address != "a/b" {
		t.Errorf("questions are %+v; want that of a/b", got)
	}
}

// A comment has room for what is asked, whatever the plan is.
func TestAPlanLeavesRoomForWhatIsAsked(t *testing.T) {
	d := Desk{Forge: takes{comments: true}}
	var talk forge.Talk
	for i := range 9 {
		talk.Comments = append(talk.Comments, forge.Comment{By: strings.Repeat("`", 39),
			Text: fmt.Sprintf("adsync explain a/%d%s", i, strings.Repeat("`x", 95))})
	}
	a := &Answer{Text: strings.Repeat("p", 64_500),
		Explain: func(string) string { return strings.Repeat("a line\n", 1000) },
		Within:  func(room int) (string, int) { return strings.Repeat("p", 64_500-room), 0 }}
	said := wholeText(&d, a, nil, talk)
	if len(said) > mostOfComment || strings.Count(said, "the rest is cut") != mostAsked || len(said) < 64_000 {
		t.Errorf("the comment has %d bytes, of which %d of the plan; want it full", len(said), strings.Count(said, "p"))
	}
	if room := len(said) - strings.Count(said, "p"); room > 25_000 {
		t.Errorf("the plan leaves %d bytes; want 25,000 at most", room)
	}
}
