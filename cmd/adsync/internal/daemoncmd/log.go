package daemoncmd

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
)

// secrets are the credentials this process has read. Types keep them out of logs
// (adsapi.Secret); where a text holds one all the same it is blotted out.
type secrets struct {
	mu    sync.Mutex
	texts []string
}

// shortest is how long a credential must be to be looked for: a shorter one would
// blot out words.
const shortest = 8

func (s *secrets) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.texts {
		if known == text {
			return
		}
	}
	if len(text) >= shortest {
		s.texts = append(s.texts, text)
	}
}

func (s *secrets) redact(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range s.texts {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}

// logger logs to standard error, without what is secret.
func logger(env *session.Env, format string, s *secrets) (*slog.Logger, error) {
	options := &slog.HandlerOptions{ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
		switch value := attr.Value.Any().(type) {
		case string:
			attr.Value = slog.StringValue(s.redact(value))
		case error:
			attr.Value = slog.StringValue(s.redact(console.OneLine(value)))
		}
		return attr
	}}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(env.Err, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(env.Err, options)), nil
	}
	return nil, fmt.Errorf("--log-format is %q; want text or json", format)
}
