#!/bin/sh
# test.sh FLAGS -- PACKAGES: go test, with the properties drawn from RAPID_SEED,
# so that a run says of the change what the run before said of the tree. The flag
# is known only where a test draws.
flags=
while [ "$1" != -- ]; do flags="$flags $1"; shift; done
shift
drawn= plain=
for dir in $(go list -f '{{.Dir}}' "$@"); do
	if grep -qs '"pgregory.net/rapid"' "$dir"/*_test.go; then drawn="$drawn $dir"; else plain="$plain $dir"; fi
done
failed=0
if [ -n "$plain" ]; then go test $flags $plain || failed=1; fi
if [ -n "$drawn" ]; then go test $flags $drawn -rapid.seed="${RAPID_SEED:-1}" || failed=1; fi
exit $failed
