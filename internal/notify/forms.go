package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

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
	return encode(struct {
		FormatVersion int       `json:"format_version"`
		ID            string    `json:"id"`
		Time          time.Time `json:"time"`
		Account       string    `json:"account"`
		Title         string    `json:"title"`
		Topics        []Topic   `json:"topics"`
		Money         []string  `json:"money"`
		Sections      []Section `json:"sections"`
		Page          string    `json:"page,omitempty"`
		Run           string    `json:"run,omitempty"`
		Commit        string    `json:"commit,omitempty"`
		Missing       int       `json:"missing,omitempty"`
	}{1, m.ID, m.Time.UTC(), m.Account, m.Title, m.Topics, append([]string{}, m.Money...), m.Sections, m.Page, m.Run, m.Commit, m.Missing})
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
	if m.Missing > 0 {
		words = append(words, fmt.Sprintf("%d messages before this one could not be delivered", m.Missing))
	}
	return words
}

// The most Slack takes: of a header, of a section.
const (
	slackHeader  = 150
	slackSection = 3000
)

var slackEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "'")

// slackBody is blocks of Slack: a header, the money, a section a topic.
func slackBody(m *Message) []byte {
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type block struct {
		Type     string `json:"type"`
		Text     *text  `json:"text,omitempty"`
		Elements []text `json:"elements,omitempty"`
	}
	section := func(said string) block { return block{Type: "section", Text: &text{"mrkdwn", cut(said, slackSection)}} }
	blocks := []block{{Type: "header", Text: &text{"plain_text", cut(m.Account+": "+m.Title, slackHeader)}}}
	if len(m.Money) > 0 {
		blocks = append(blocks, section(slackEscape.Replace(strings.Join(m.Money, "\n"))))
	}
	for _, s := range m.Sections {
		lines := []string{"*" + slackEscape.Replace(strings.ReplaceAll(s.Title, "*", "∗")) + "*"}
		for _, item := range s.Items {
			line := "• " + slackEscape.Replace(item.Text)
			if item.Command != "" {
				line += "\n  `" + slackEscape.Replace(item.Command) + "`"
			}
			lines = append(lines, line)
		}
		if s.More > 0 {
			lines = append(lines, fmt.Sprintf("… and %d more", s.More))
		}
		blocks = append(blocks, section(strings.Join(lines, "\n")))
	}
	if m.Page != "" {
		blocks = append(blocks, section("<"+slackEscape.Replace(m.Page)+"|Open the account>"))
	}
	if tail := m.tail(); len(tail) > 0 {
		blocks = append(blocks, block{Type: "context", Elements: []text{{"mrkdwn", slackEscape.Replace(strings.Join(tail, " · "))}}})
	}
	return encode(map[string]any{"text": slackEscape.Replace(m.Account + ": " + m.Title), "blocks": blocks})
}

// cut shortens to so many characters, at a line where there is one.
func cut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	kept := string(runes[:most-2])
	if end := strings.LastIndexByte(kept, '\n'); end > len(kept)/2 {
		kept = kept[:end]
	}
	return kept + "\n…"
}

// What a text block of a card would take for markup.
var teamsEscape = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "`", "\\`", "#", `\#`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "{{", "{ {")

// teamsBody is an Adaptive Card, as the webhook of a workflow takes it.
func teamsBody(m *Message) []byte {
	type element map[string]any
	block := func(text string, more element) element {
		e := element{"type": "TextBlock", "text": text, "wrap": true}
		for name, value := range more {
			e[name] = value
		}
		return e
	}
	body := []element{block(teamsEscape.Replace(m.Account+": "+m.Title), element{"size": "Large", "weight": "Bolder"})}
	for _, line := range m.Money {
		body = append(body, block(teamsEscape.Replace(line), element{"spacing": "None"}))
	}
	for _, s := range m.Sections {
		body = append(body, block(teamsEscape.Replace(s.Title), element{"weight": "Bolder", "separator": true}))
		for _, item := range s.Items {
			body = append(body, block(teamsEscape.Replace(item.Text), nil))
			if item.Command != "" {
				body = append(body, block(teamsEscape.Replace(item.Command), element{"fontType": "Monospace", "spacing": "None"}))
			}
		}
		if s.More > 0 {
			body = append(body, block(fmt.Sprintf("… and %d more", s.More), nil))
		}
	}
	if tail := m.tail(); len(tail) > 0 {
		body = append(body, block(teamsEscape.Replace(strings.Join(tail, " · ")), element{"isSubtle": true, "size": "Small"}))
	}
	card := element{"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body}
	if m.Page != "" {
		card["actions"] = []element{{"type": "Action.OpenUrl", "title": "Open the account", "url": m.Page}}
	}
	return encode(element{"type": "message", "attachments": []element{{"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": nil, "content": card}}})
}

// plainText is the form of a mail: money first.
func plainText(m *Message) string {
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
