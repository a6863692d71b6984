#!/bin/sh
# Finds or installs what the tests need beyond Go modules, on Debian; it runs at the top of the repository.
set -eu
missing=""
need() { # need COMMAND-OR-FILE PACKAGE
	command -v "$1" >/dev/null 2>&1 || [ -e "$1" ] || missing="$missing $2"
}
need git git
need /usr/sbin/sshd openssh-server
need ssh-keygen openssh-client
need /usr/sbin/lighttpd lighttpd
need /usr/lib/lighttpd/mod_openssl.so lighttpd-mod-openssl
need openssl openssl
need gpg gnupg
need soffice libreoffice-calc-nogui
need /usr/lib/python3/dist-packages/openpyxl python3-openpyxl
need pdftotext poppler-utils
need /usr/share/fonts/truetype/crosextra/Carlito-Regular.ttf fonts-crosextra-carlito
need /usr/lib/python3/dist-packages/xlsxwriter python3-xlsxwriter
need /usr/lib/python3/dist-packages/yaml python3-yaml
need /usr/lib/python3/dist-packages/uno.py python3-uno
need ssconvert gnumeric
need chromium-headless-shell chromium-headless-shell
need jq jq
[ -e /usr/lib/postgresql ] || need initdb postgresql
need /usr/sbin/pgbouncer pgbouncer
need strace strace
need /usr/sbin/ip iproute2
need skopeo skopeo
need umoci umoci
need curl curl
need systemd-analyze systemd
need pre-commit pre-commit
need node nodejs
need /usr/share/nodejs/busboy node-busboy
if [ -n "$missing" ]; then
	echo "installing:$missing"
	run=""
	[ "$(id -u)" = 0 ] || run="sudo"
	$run apt-get update -qq
	DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
