package daemoncmd

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func saveFile(t *testing.T, name, content string) {
	t.Helper()
	noError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	noError(t, os.WriteFile(name, []byte(content), 0o600))
}

func signatureOf(secret, body string) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

// springAt is one campaign that may spend so much a day.
func springAt(budget string) string {
	return "kind: campaign\nkey: spring\nname: Spring\nstatus: active\nbidding_type: clicks\nbudget: {daily: " +
		budget + "}\n"
}
