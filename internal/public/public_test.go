package public

import (
	"strings"
	"testing"
)

// TestAddressesThatCannotBePublic: every form of an address that leads into a network of
// one's own is named, and those of the internet pass.
func TestAddressesThatCannotBePublic(t *testing.T) {
	for _, row := range []struct{ address, want string }{
		{"https://shop.example/trail", ""},
		{"http://8.8.8.8:8080/", ""},
		{"https://[2606:4700::1111]/", ""},
		{"https://1.1.1.1.shop.example/", ""},
		{"https://localhost.shop.example/", ""},
		{"http://169.254.169.254/latest/meta-data/", "is at 169.254.169.254, a link-local address"},
		{"http://127.0.0.1/", "a loopback address"},
		{"http://127.8.9.1:80/", "a loopback address"},
		{"http://0.0.0.0/", "the unspecified address"},
		{"http://10.1.2.3/", "a private address"},
		{"http://172.31.0.1/", "a private address"},
		{"http://192.168.1.1/", "a private address"},
		{"http://100.64.0.1/", "a reserved address"},
		{"http://224.0.0.1/", "a multicast address"},
		{"http://255.255.255.255/", "a reserved address"},
		{"http://198.51.100.7/", "a reserved address"},
		{"http://2130706433/", "a number in the place of a host"},
		{"http://127.1/", "a number in the place of a host"},
		{"http://0x7f000001/", "a number in the place of a host"},
		{"http://0x7f.0.0.1/", "a number in the place of a host"},
		{"http://127.0.0.0x1/", "a number in the place of a host"},
		{"http://0177.0.0.1/", "a number in the place of a host"},
		{"http://017700000001/", "a number in the place of a host"},
		{"http://1.2.3.4.5/", "a number in the place of a host"},
		{"http://127.0.0.1./", "a loopback address"},
		{"http://127。0。0。1/", "a loopback address"},
		{"http://①②⑦.0.0.1/", "a loopback address"},
		{"http://[::1]/", "a loopback address"},
		{"http://[::]/", "the unspecified address"},
		{"http://[::ffff:127.0.0.1]/", "an IPv4 address in the form of IPv6"},
		{"http://[::ffff:8.8.8.8]/", "an IPv4 address in the form of IPv6"},
		{"http://[0:0:0:0:0:ffff:7f00:1]/", "an IPv4 address in the form of IPv6"},
		{"http://[::127.0.0.1]/", "a reserved address"},
		{"http://[64:ff9b::7f00:1]/", "a reserved address"},
		{"http://[2002:7f00:1::]/", "a reserved address"},
		{"http://[2001:db8::1]/", "a reserved address"},
		{"http://[fe80::1]/", "a link-local address"},
		{"http://[fe80::1%25eth0]/", "a link-local address"},
		{"http://[fc00::1]/", "a private address"},
		{"http://[ff02::1]/", "a multicast address"},
		{"http://localhost/", `is at "localhost"`},
		{"http://LOCALHOST.:8080/", `is at "localhost"`},
		{"http://images.localhost/", `is at "images.localhost"`},
		{"http://printer.local/", `is at "printer.local"`},
		{"http://metadata.google.internal/", `is at "metadata.google.internal"`},
		{"http://box.home.arpa/", `is at "box.home.arpa"`},
		{"http://intranet/", `is at "intranet"`},
		{"http://ann:secret@shop.example/", "has a user name or a password in it"},
		{"http://shop.example@127.0.0.1/", "has a user name or a password in it"},
		{"ftp://shop.example/", "is no http or https address"},
		{"file:///etc/passwd", "is no http or https address"},
		{"https:///trail", "is no http or https address"},
	} {
		got := Reach{}.Refuse(row.address)
		if row.want == "" && got != "" || !strings.Contains(got, row.want) {
			t.Errorf("%s: %q, want %q", row.address, got, row.want)
		}
		if strings.Contains(got, "secret") {
			t.Errorf("%s: %q shows the password", row.address, got)
		}
	}
}

// TestReachLetsThroughWhatIsListedAlone: a network opens its addresses in every
// connection, a name itself and nothing that it resolves to.
func TestReachLetsThroughWhatIsListedAlone(t *testing.T) {
	var r Reach
	for _, entry := range []string{"127.0.0.1", "10.20.0.0/16", "fd00::/8", "images.internal", "localhost"} {
		if err := r.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	for address, allowed := range map[string]bool{
		"http://127.0.0.1:1/": true, "http://127.0.0.2/": false, "http://10.20.9.9/": true, "http://10.21.0.1/": false,
		"http://[fd00::7]/": true, "http://[fc00::7]/": false, "http://[::ffff:10.20.0.1]/": false,
		"http://localhost/": true, "http://images.internal/": true, "http://other.images.internal/": false,
		"http://0x7f.1/": false, "http://a@localhost/": false, "https://shop.example/": true,
	} {
		if got := r.Refuse(address); (got == "") != allowed {
			t.Errorf("%s: %q, want allowed %t", address, got, allowed)
		}
	}
	for _, entry := range []string{"10.20.0.1/16", "::ffff:10.0.0.1", "0x7f.1", "127.1", "*.internal", "", "Box.local",
		"http://box.local", "fe80::1%eth0", "10.0.0.0/33"} {
		if err := new(Reach).Add(entry); err == nil {
			t.Errorf("%q is taken; want it refused", entry)
		}
	}
}
