#!/bin/sh
# quick.sh [BASE]: vets and tests the packages that differ from BASE, the last commit
# unless given, and those that import them. Long tests leave themselves out (-short);
# what drives the whole command as processes is left to make test, and named.
set -eu
cd "$(git rev-parse --show-toplevel)"
base=${1:-HEAD}
whole='adsync/(cmd/adsync|internal/testing/(journeys|mutants|sim))$'

changed=$( (git diff --name-only "$base" -- && git ls-files --others --exclude-standard) | sort -u)
[ -n "$changed" ] || { echo "nothing differs from $base; make quick BASE=main tests a branch"; exit 0; }

# A line a package or its tests: its folder, its name, and all that it imports. A
# file belongs to the package of the folder nearest above it, go.mod to every package.
touched=$(go list -test -f '{{.Dir}} {{.ImportPath}} {{join .Deps " "}}' ./... |
	awk -v root="$PWD/" -v changed="$changed" '
		{
			name = $2; sub(/(_test|\.test)$/, "", name)
			folder[name] = substr($1 "/", length(root) + 1); deps[name] = deps[name] " " $0 " "
		}
		END {
			for (n = split(changed, file, "\n"); n > 0; n--) {
				all = all || file[n] == "go.mod"; nearest = ""
				for (p in folder)
					if (index(file[n], folder[p]) == 1 && length(folder[p]) > length(folder[nearest])) nearest = p
				if (nearest != "") hit[nearest]
			}
			for (p in folder) {
				is = all || p == "adsync/internal/arch"
				for (h in hit) is = is || index(deps[p], " " h " ")
				if (is) print p
			}
		}' | sort)
units=$(echo "$touched" | grep -Ev "$whole" || true)
left=$(echo "$touched" | grep -E "$whole" | tr '\n' ' ' || true)
[ -z "$left" ] || echo "left to make test: $left"
if [ -n "$units" ]; then
	# shellcheck disable=SC2086
	go test -short -vet=all -timeout 5m $units
fi
