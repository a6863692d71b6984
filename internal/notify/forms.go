package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Form is the form a destination reads.
type Form string

// The forms.
const (
	Webhook Form = "webhook" // JSON, signed
	Slack   Form = "slack"   // incoming webhook
	Teams   Form = "teams"   // webhook of a workflow
	Email   Form = "email"   // SMTP
)

// form is what is known of a form: what a destination of it needs, and how a message
// goes there.
type form struct {
	check func(*Destination) error
	send  func(context.Context, *Destination, *Message) error
}

// forms has a row for each form; a new one is one more.
var forms = map[Form]form{
	Webhook: {check: signable, send: sendSigned},
	Slack:   {check: reachable, send: posted(slackBody)},
	Teams:   {check: reachable, send: posted(teamsBody)},
	Email: {
		check: func(d *Destination) error { return d.Mail.check() },
		send:  func(ctx context.Context, to *Destination, m *Message) error { return to.Mail.send(ctx, m) },
	},
}

func reachable(d *Destination) error { return checkURL(d.URL) }

// signable checks a destination whose messages are signed.
func signable(d *Destination) error {
	if len(d.Key.Reveal()) < 16 {
		return errors.New("its key is shorter than 16 characters; want a random one")
	}
	return checkURL(d.URL)
}

// posted returns what posts a message in the JSON of body.
func posted(body func(*Message) []byte) func(context.Context, *Destination, *Message) error {
	return func(ctx context.Context, to *Destination, m *Message) error {
		return postJSON(ctx, to, body(m), m, nil)
	}
}

// sendSigned posts the form for programs with its signature.
func sendSigned(ctx context.Context, to *Destination, m *Message) error {
	body := webhookBody(m)
	return postJSON(ctx, to, body, m, http.Header{
		"X-Adsync-Signature": {sign(to.Key, time.Now(), body)}, "X-Adsync-Delivery": {m.ID},
	})
}

// encode writes JSON as it is meant: `<` and `>` stay, as the forms escape what
// they read.
func encode(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // of texts and numbers
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// webhookBody is the form for programs.
func webhookBody(m *Message) []byte {
	r := Report{}
	if m.Report != nil {
		r = *m.Report
	}
	return encode(struct {
		FormatVersion int             `json:"format_version"`
		ID            string          `json:"id"`
		Time          time.Time       `json:"time"`
		Account       string          `json:"account"`
		Title         string          `json:"title"`
		Topics        []Topic         `json:"topics"`
		Money         []string        `json:"money"`
		Sections      []Section       `json:"sections"`
		Page          string          `json:"page,omitempty"`
		Run           string          `json:"run,omitempty"`
		Commit        string          `json:"commit,omitempty"`
		Missing       int             `json:"missing,omitempty"`
		Joined        int             `json:"joined,omitempty"`
		Report        json.RawMessage `json:"report,omitempty"`
		Markdown      string          `json:"markdown,omitempty"`
	}{1, m.ID, m.Time.UTC(), m.Account, m.Title, m.Topics,
		append([]string{}, m.Money...), m.Sections, m.Page, m.Run, m.Commit, m.Missing, m.Joined,
		r.JSON, r.Markdown})
}

// tail are the words after the sections.
func (m *Message) tail() []string {
	var words []string
	if m.Run != "" {
		words = append(words, m.Run)
	}
	if m.Commit != "" {
		words = append(words, fmt.Sprintf("commit %.12s", m.Commit))
	}
	return append(words, m.earlier()...)
}

// lines are a section, a paragraph an item, as far as they fit into so many
// characters: an item is there whole with its command, or it is counted.
func (s Section) lines(most int, escape func(string) string) string {
	text, left := escape(s.Title), s.More
	room := most - utf8.RuneCountInString(text) - len("\n… and 000000 more")
	for i, item := range s.Items {
		one := "\n• " + escape(item.Text)
		if item.Command != "" {
			one += "\n    " + item.Command
		}
		if room -= utf8.RuneCountInString(one); room < 0 {
			left += len(s.Items) - i
			break
		}
		text += one
	}
	if left > 0 {
		text += fmt.Sprintf("\n… and %d more", left)
	}
	return text
}

// The most Slack takes: of a header, of a section.
const (
	slackHeader  = 150
	slackSection = 3000
)

var slackEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slackBody is blocks of Slack: a header, the money, a section a topic. What stands
// in them is plain text, in which nothing is markup, a link or a mention.
func slackBody(m *Message) []byte {
	type text struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Emoji *bool  `json:"emoji,omitempty"`
	}
	type block struct {
		Type     string `json:"type"`
		Text     *text  `json:"text,omitempty"`
		Elements []text `json:"elements,omitempty"`
	}
	plain := func(said string, most int) *text { return &text{"plain_text", cut(said, most), new(bool)} }
	blocks := []block{{Type: "header", Text: plain(slackEscape.Replace(m.Account+": "+m.Title), slackHeader)}}
	if len(m.Money) > 0 {
		blocks = append(blocks, block{
			Type: "section", Text: plain(slackEscape.Replace(strings.Join(m.Money, "\n")), slackSection),
		})
	}
	for _, s := range m.Sections {
		blocks = append(blocks, block{
			Type: "section", Text: plain(s.lines(slackSection, slackEscape.Replace), slackSection),
		})
	}
	if m.Page != "" {
		blocks = append(blocks, block{
			Type: "section", Text: &text{
				Type: "mrkdwn", Text: "<" + slackEscape.Replace(m.Page) + "|Open the account>",
			},
		})
	}
	if tail := m.tail(); len(tail) > 0 {
		blocks = append(blocks, block{
			Type: "context", Elements: []text{*plain(slackEscape.Replace(strings.Join(tail, " · ")), slackSection)},
		})
	}
	return encode(map[string]any{"text": slackEscape.Replace(m.Account + ": " + m.Title), "blocks": blocks})
}

// cut shortens to so many characters.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// teamsMost is how many bytes of a card Teams takes.
const teamsMost = 28 << 10

// teamsBody is an Adaptive Card, as the webhook of a workflow takes it: of as many
// items as fit.
func teamsBody(m *Message) []byte {
	for shown := itemsShown; ; shown /= 2 {
		if body := teamsCard(m, shown); len(body) <= teamsMost || shown == 0 {
			return body
		}
	}
}

// teamsCard is a card with so many items of each section. Its texts are runs, in
// which nothing is markup; only what looks like a function of time is taken apart.
func teamsCard(m *Message, shown int) []byte {
	type element map[string]any
	block := func(text string, more element) element {
		run := element{"type": "TextRun", "text": strings.ReplaceAll(text, "{{", "{ {")}
		for name, value := range more {
			run[name] = value
		}
		return element{"type": "RichTextBlock", "spacing": "Small", "inlines": []element{run}}
	}
	body := []element{block(m.Account+": "+m.Title, element{"size": "Large", "weight": "Bolder"})}
	for _, line := range m.Money {
		body = append(body, block(line, nil))
	}
	for _, s := range m.Sections {
		title := block(s.Title, element{"weight": "Bolder"})
		title["separator"] = true
		body = append(body, title)
		for _, item := range s.Items[:min(len(s.Items), shown)] {
			body = append(body, block(item.Text, nil))
			if item.Command != "" {
				body = append(body, block(item.Command, element{"fontType": "Monospace"}))
			}
		}
		if more := s.More + max(0, len(s.Items)-shown); more > 0 {
			body = append(body, block(fmt.Sprintf("… and %d more", more), nil))
		}
	}
	if tail := m.tail(); len(tail) > 0 {
		body = append(body, block(strings.Join(tail, " · "), element{"isSubtle": true, "size": "Small"}))
	}
	card := element{
		"$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
		"type":    "AdaptiveCard", "version": "1.4", "body": body,
	}
	if m.Page != "" {
		card["actions"] = []element{{"type": "Action.OpenUrl", "title": "Open the account", "url": m.Page}}
	}
	return encode(element{
		"type": "message", "attachments": []element{{"contentType": "application/vnd.microsoft.card.adaptive",
			"contentUrl": nil, "content": card}},
	})
}

// plainText is the form of a mail: money first. A report has its own.
func plainText(m *Message) string {
	if m.Report != nil {
		return m.Report.Text
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s: %s", m.Account, m.Title)
	if len(m.Money) > 0 {
		line("\n%s", strings.Join(m.Money, "\n"))
	}
	for _, s := range m.Sections {
		line("\n%s", s.Title)
		for _, item := range s.Items {
			line("  - %s", item.Text)
			if item.Command != "" {
				line("      %s", item.Command)
			}
		}
		if s.More > 0 {
			line("  … and %d more", s.More)
		}
	}
	if m.Page != "" {
		line("\n%s", m.Page)
	}
	if tail := m.tail(); len(tail) > 0 {
		line("\n%s", strings.Join(tail, " · "))
	}
	return b.String()
}
