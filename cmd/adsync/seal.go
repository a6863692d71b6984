package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"

	"adsync/internal/diag"
	"adsync/sources"
	"adsync/state"
)

// The operator's side of saved plans. Who plans on one machine and applies on
// another gives both the same key.
const (
	envPlanKey     = "ADSYNC_PLAN_KEY"
	envPlanKeyFile = "ADSYNC_PLAN_KEY_FILE"
	envPlanMinutes = "ADSYNC_PLAN_MINUTES"
)

// usualPlanLife is how long a saved plan may wait (design.md section 6).
const usualPlanLife = 30 * time.Minute

// planLife follows the operator's environment, and the operator's file and the
// project where they are shorter.
func (a *app) planLife(p sources.Project) time.Duration {
	life := usualPlanLife
	if minutes, err := strconv.Atoi(a.env(envPlanMinutes)); err == nil && minutes > 0 {
		life = min(time.Duration(minutes)*time.Minute, 24*time.Hour)
	}
	o, _ := a.operator(p) // its problems were said when the project was loaded
	for _, said := range []sources.Setting{o.Policy.SavedPlanMinutes, p.Policy.SavedPlanMinutes} {
		if minutes, err := strconv.Atoi(said.Value); err == nil {
			life = min(life, time.Duration(minutes)*time.Minute)
		}
	}
	return life
}

// shortestKey is how short a key of the operator's may be.
const shortestKey = 32

// sealKey finds the key saved plans are sealed with: the operator's, else that
// of the state's folder.
func (a *app) sealKey(p sources.Project, mayMake bool) ([]byte, error) {
	text, from := a.env(envPlanKey), envPlanKey
	if file := a.env(envPlanKeyFile); text == "" && file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, configuration("%s: %v", envPlanKeyFile, err)
		}
		text, from = string(bytes.TrimSpace(content)), envPlanKeyFile
	}
	if text != "" {
		if len(text) < shortestKey {
			return nil, configuration("%s has %d characters; "+
				"want at least %d random ones, such as those of: openssl rand -hex 32", from, len(text), shortestKey)
		}
		sum := sha256.Sum256([]byte("adsync seal key\n" + text))
		return sum[:], nil
	}
	key, err := state.SealKey(p.StateFolder(), mayMake)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unknownSeal("this state has no key of its own, so no plan was saved here")
	}
	return key, err
}

// sealed is a saved plan as it lies in its file.
type sealed struct {
	FormatVersion int             `json:"format_version"`
	Saved         json.RawMessage `json:"saved"`
	Checksum      string          `json:"checksum"` // SHA-256 of saved without white space: against damage
	Key           string          `json:"key"`      // names the key, and does not give it away
	Seal          string          `json:"seal"`     // HMAC-SHA256 of saved without white space: against edits
}

func seal(key []byte, s savedPlan) ([]byte, error) {
	saved, err := json.Marshal(s)
	if err == nil {
		saved, err = compact(saved)
	}
	if err != nil {
		return nil, err
	}
	file := sealed{
		FormatVersion: formatVersion, Saved: saved,
		Checksum: checksumOf(saved), Key: nameOfKey(key), Seal: sealOf(key, saved),
	}
	content, err := json.MarshalIndent(file, "", "  ")
	return append(content, '\n'), err
}

// unseal gives what was saved, if it is whole and was sealed with this key.
func unseal(key, content []byte) (*savedPlan, error) {
	var file sealed
	if err := json.Unmarshal(content, &file); err != nil || file.Checksum == "" {
		return nil, damagedPlan("it is no plan adsync saved, or it is cut off")
	}
	if file.FormatVersion != formatVersion {
		return nil, damagedPlan("its format_version is " +
			strconv.Itoa(file.FormatVersion) + "; want " + strconv.Itoa(formatVersion))
	}
	saved, err := compact(file.Saved)
	if err != nil || checksumOf(saved) != file.Checksum {
		return nil, damagedPlan("its checksum does not fit: it was damaged or edited")
	}
	if file.Key != nameOfKey(key) {
		return nil, unknownSeal("it was sealed with another key")
	}
	if !hmac.Equal([]byte(sealOf(key, saved)), []byte(file.Seal)) {
		return nil, unknownSeal("its seal does not fit: it was edited")
	}
	s := new(savedPlan)
	if err := json.Unmarshal(saved, s); err != nil {
		return nil, damagedPlan(err.Error())
	}
	return s, nil
}

func damagedPlan(why string) error {
	return configuration("saved plan: %s; plan again (%s)", why, diag.DamagedPlan)
}

// unknownSeal is the error of a plan that was not saved with this state.
func unknownSeal(why string) error {
	return exitWith(exitRefused, "saved plan: "+why+"; nothing was changed; plan again with this state, or set "+
		envPlanKey+" where it is saved and where it is applied ("+string(diag.UnknownSeal)+")")
}

func checksumOf(saved []byte) string {
	sum := sha256.Sum256(saved)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func sealOf(key, saved []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("adsync saved plan 1\n"))
	mac.Write(saved)
	return "hmac-sha256:" + hex.EncodeToString(mac.Sum(nil))
}

func nameOfKey(key []byte) string {
	sum := sha256.Sum256(append([]byte("adsync name of a key\n"), key...))
	return hex.EncodeToString(sum[:4])
}

// hashOf names a value by its JSON, in which maps are sorted.
func hashOf(v any) string {
	content, err := json.Marshal(v)
	if err != nil {
		panic("no JSON form: " + err.Error()) // a policy holds numbers, texts and maps of them
	}
	return checksumOf(content)
}
