package gitstore

import (
	"net"
	"net/url"
	"path/filepath"
	"strings"

	"adsync/internal/pattern"
)

// address is where a repository is. It never holds a password.
type address struct {
	scheme string // https, ssh or file
	user   string
	host   string // with the port where one is given
	path   string
}

// String shows the address without its user.
func (a address) String() string {
	if a.scheme == "file" {
		return a.path
	}
	return a.scheme + "://" + a.host + "/" + strings.TrimPrefix(a.path, "/")
}

// whole is the address as a server is asked for it.
func (a address) whole() string {
	if a.user != "" && a.scheme == "ssh" {
		return "ssh://" + url.User(a.user).String() + "@" + a.host + "/" + strings.TrimPrefix(a.path, "/")
	}
	return a.String()
}

// HostOf returns the host and port an address leads to, "" for a path.
func HostOf(repository string) (string, error) {
	a, err := parseAddress(repository)
	return a.host, err
}

// scpLike is user@host:path, as git writes addresses of ssh.
var scpLike = pattern.Of(`^(?:([A-Za-z0-9._-]+)@)?([A-Za-z0-9][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\]):([^\\]+)$`)

// helper is how git is told to run a program in place of a transport.
var helper = pattern.Of(`^[A-Za-z0-9]+::`)

const addressForms = "want https://host/path, ssh://user@host/path, user@host:path, or the path of a repository"

// parseAddress takes the forms that are allowed. An address that is refused is
// not repeated: it may hold a password.
func parseAddress(text string) (address, error) {
	if text == "" || strings.HasPrefix(text, "-") || strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' || r == 0x7f
	}) {
		return address{}, refuse(Configuration,
			"no address of a repository, or one that begins with - or holds control characters; %s", addressForms)
	}
	if strings.Contains(text, "://") {
		return parseURL(text)
	}
	if helper.MatchString(text) {
		return address{}, refuse(Configuration, "the address names a program (::); %s", addressForms)
	}
	if parts := scpLike.FindStringSubmatch(text); parts != nil &&
		!strings.HasPrefix(text, "/") && !strings.HasPrefix(text, ".") {
		return checkAddress(address{scheme: "ssh", user: parts[1], host: parts[2], path: parts[3]})
	}
	return localAddress(text)
}

func parseURL(text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return address{}, refuse(Configuration, "the address cannot be read; %s", addressForms)
	}
	if _, has := u.User.Password(); has {
		return address{}, refuse(Configuration,
			"the address of %s holds a password; want it from the environment, a file or a command", u.Host)
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return address{}, refuse(Configuration, "the address of %s has a ? or #; %s", u.Host, addressForms)
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" && u.Host != "localhost" {
			return address{}, refuse(Configuration,
				"the address names the host %q with file://; %s", u.Host, addressForms)
		}
		return localAddress(u.Path)
	case "https", "ssh":
		path := u.Path
		if u.Scheme == "ssh" && strings.HasPrefix(path, "/~") {
			path = path[1:] // a home, which git looks up on the other side
		}
		return checkAddress(address{scheme: u.Scheme, user: u.User.Username(), host: u.Host, path: path})
	}
	return address{}, refuse(Configuration, "the address has the scheme %q; %s", u.Scheme, addressForms)
}

func localAddress(text string) (address, error) {
	whole, err := filepath.Abs(text)
	if err != nil {
		return address{}, refuse(Configuration, "the path of the repository cannot be found: %v", err)
	}
	return address{scheme: "file", path: whole}, nil
}

// tokenLike is how the tokens of GitHub, GitLab, Gitea and others look: by their first
// letters, or as nobody is called.
var tokenLike = pattern.Of(
	`^(gh[pousr]_|github_pat_|gl(pat|dt|rt|cbt|ptt|ft|soat|agent)-)|[A-Za-z0-9_-]{36,}|^[0-9a-f]{32,}$`)

// checkAddress refuses what a server would take for an option of its commands.
func checkAddress(a address) (address, error) {
	name := a.host
	if host, _, err := net.SplitHostPort(a.host); err == nil {
		name = host
	}
	if name == "" || strings.HasPrefix(name, "-") || strings.HasPrefix(a.user, "-") ||
		strings.HasPrefix(strings.TrimLeft(a.path, "/"), "-") || strings.Trim(a.path, "/") == "" {
		return address{}, refuse(Configuration, "the address has no host or path, or one that begins with -; %s",
			addressForms)
	}
	if a.scheme == "https" && a.user != "" && strings.ContainsAny(a.user, ":") {
		return address{}, refuse(Configuration, "the user of the address has a colon; %s", addressForms)
	}
	if a.scheme == "https" && tokenLike.MatchString(a.user) {
		return address{}, refuse(Configuration, "the address "+
			"of %s holds a token in the place of its user; want it from the environment, a file or a command", a.host)
	}
	return a, nil
}
