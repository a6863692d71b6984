package logins

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon/roles"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// HashPassword returns the command adsync hash-password.
func HashPassword(env *session.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "hash-password",
		Short: "Print the hash of a password, for a person in the daemon's configuration",
		Long: `Read a password of 15 characters or more, and print its hash (argon2id). Put it into a file that the
daemon alone may read, and name that file at the person in daemon.yaml:

  people:
    anna: {role: approver, password: {file: /etc/adsync/anna.hash}}

At a terminal the password is asked for twice, and not shown; otherwise it is the first line of standard
input. It is kept nowhere.`,
		Example: "  adsync hash-password < password.txt",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			text, err := typed(env)
			if err != nil {
				return err
			}
			hash, err := roles.HashPassword(text)
			if err != nil {
				return console.Usage(c, err)
			}
			_, err = fmt.Fprintln(env.Out, hash)
			return err
		},
	}
}

// typed reads a password, at a terminal without showing it.
func typed(env *session.Env) (string, error) {
	file, ok := env.In.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		line, err := bufio.NewReader(io.LimitReader(env.In, 4096)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	var said [2]string
	for i, asks := range []string{"Password: ", "Once more: "} {
		fmt.Fprint(env.Err, asks)
		text, err := term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(env.Err)
		if err != nil {
			return "", err
		}
		said[i] = string(text)
	}
	if said[0] != said[1] {
		return "", errors.New("the two are not the same; want one password twice")
	}
	return said[0], nil
}
