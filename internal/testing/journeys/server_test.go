package journeys

import (
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"adsync/internal/testing/ports"

	"github.com/rogpeppe/go-internal/testscript"
)

// sshd FOLDER: OpenSSH's server; $SSH is the address of what lies in the folder, and
// ssh/key and ssh/known_hosts let one in.
func startSSH(ts *testscript.TestScript, _ bool, args []string) {
	keys := ts.MkAbs("ssh")
	ts.Check(os.Mkdir(keys, 0o700))
	for _, name := range []string{"host", "key"} {
		ts.Check(ts.Exec("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(keys, name)))
	}
	if os.Getuid() == 0 {
		ts.Check(os.MkdirAll("/run/sshd", 0o755))
	}
	address := freeAddress(ts)
	_, port, err := net.SplitHostPort(address)
	ts.Check(err)
	// a shell below another reads no .bashrc, which may take seconds
	config := fmt.Sprintf("ListenAddress 127.0.0.1\nPort %s\nHostKey %[2]s/host\nPidFile none\n"+
		"AuthorizedKeysFile %[2]s/key.pub\nStrictModes no\nUsePAM no\nSetEnv SHLVL=1 GIT_CONFIG_GLOBAL=/dev/null "+
		"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=*\n", port, keys)
	ts.Check(os.WriteFile(filepath.Join(keys, "sshd_config"), []byte(config), 0o600))
	public, err := os.ReadFile(filepath.Join(keys, "host.pub"))
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(keys, "known_hosts"),
		fmt.Appendf(nil, "[127.0.0.1]:%s %s", port, public), 0o600))
	start(ts, "sshd", "/usr/sbin/sshd", "-D", "-f", filepath.Join(keys, "sshd_config"))
	until(ts, func() string { return "sshd does not listen" }, func() bool { return listens(address) })
	me, err := user.Current()
	ts.Check(err)
	ts.Setenv("SSH", fmt.Sprintf("ssh://%s@%s%s", me.Username, address, ts.MkAbs(args[0])))
}

// freeAddress is one that nobody listens at.
func freeAddress(ts *testscript.TestScript) string {
	port, err := ports.Free()
	ts.Check(err)
	return fmt.Sprintf("127.0.0.1:%d", port)
}

func listens(address string) bool {
	line, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	return line.Close() == nil
}

// git ARGS...: as $WHO types it.
func git(ts *testscript.TestScript, _ bool, args []string) {
	who := ts.Getenv("WHO")
	mail := strings.ToLower(who) + "@example.com"
	set := []string{"-c", "user.name=" + who, "-c", "user.email=" + mail, "-c", "init.defaultBranch=main"}
	ts.Check(ts.Exec("git", append(set, args...)...))
}
