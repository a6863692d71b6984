#!/usr/bin/env bash
# Keeps adsync's own state on a branch of its own, for runners that forget.
#   state.sh get    before plan and apply: the state of the last apply
#   state.sh put    after apply, also where it failed: what it left
#   ADSYNC_ADS      the folder of the sources (default: ads)
# Only one apply may run at a time: the pipelines say so with a concurrency group.
# The state holds ids, names and amounts, no key and no person.
set -euo pipefail
branch=adsync/state
state="${ADSYNC_ADS:-ads}/.adsync"

get() {
  mkdir -p "$state"
  chmod 0700 "$state"
  git fetch --quiet --depth 1 origin "$branch" 2>/dev/null || { echo "no state yet" >&2; return; }
  for file in state.db lineage; do
    (umask 077 && git show "FETCH_HEAD:$file" > "$state/$file")
  done
}

put() {
  for file in state.db lineage; do
    blob=$(git hash-object -w "$state/$file")
    entries="${entries:-}100644 blob $blob"$'\t'"$file"$'\n'
  done
  tree=$(printf '%s' "$entries" | git mktree)
  parent=$(git ls-remote origin "refs/heads/$branch" | cut -f 1)
  if [ -n "$parent" ]; then
    git fetch --quiet --depth 1 origin "$branch"
  fi
  commit=$(git -c user.name=adsync -c user.email=adsync@localhost commit-tree "$tree" ${parent:+-p "$parent"} -m "state after $(git rev-parse --short HEAD)")
  git push --quiet origin "$commit:refs/heads/$branch"
}

case "${1:-}" in
get | put) "$1" ;;
*)
  echo "usage: state.sh get|put" >&2
  exit 2
  ;;
esac
