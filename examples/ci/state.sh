#!/usr/bin/env bash
# Keeps adsync's own state on a branch of its own, for runners that forget.
#   state.sh get    before plan and apply: the state of the last apply
#   state.sh put    after apply, also where it failed or was killed: what it left
#   ADSYNC          the command (default: bin/adsync)
#   ADSYNC_ADS      the folder of the sources (default: ads)
#   STATE_FOLDER    where the state lies here (default: .adsync in that folder)
#   STATE_REMOTE    where the branch lies (default: origin)
#   STATE_TOKEN     a token for it over https; without one, what the clone itself has
#   STATE_PAUSE     seconds before a network call is made again (default: 5)
# Only one apply may run at a time: the pipelines say so with a concurrency group.
# The state holds ids, names and amounts, no key and no person.
set -euo pipefail
shopt -s inherit_errexit
branch=refs/heads/adsync/state
named="the branch adsync/state"
remote="${STATE_REMOTE:-origin}"
ads="${ADSYNC_ADS:-ads}"
state="${STATE_FOLDER:-$ads/.adsync}"
# Its objects have a repository of their own: a branch that is fetched without its past
# would make the clone a shallow one.
store="$(git rev-parse --absolute-git-dir)/adsync-state"
note="$store/here" # the commit whose state lies here, or "none"

# git takes the token from the environment: it is in no list of processes and no file.
if [ -n "${STATE_TOKEN:-}" ]; then
  n="${GIT_CONFIG_COUNT:-0}"
  export STATE_TOKEN GIT_CONFIG_COUNT=$((n + 2)) "GIT_CONFIG_KEY_$n=credential.helper" "GIT_CONFIG_VALUE_$n="
  n=$((n + 1)) # the empty one before it takes the machine's own helpers away, which could keep it
  # shellcheck disable=SC2016 # the helper's shell reads the variable
  export "GIT_CONFIG_KEY_$n=credential.helper" "GIT_CONFIG_VALUE_$n"='!f() { test "$1" = get && printf "username=x-access-token\npassword=%s\n" "$STATE_TOKEN"; }; f'
fi
export GIT_TERMINAL_PROMPT=0

# kept runs git in that repository, with the remotes and credentials of the clone.
kept() {
  if [ ! -d "$store" ]; then
    git init --quiet --bare "$store.new"
    git --git-dir="$store.new" config include.path ../config
    mv "$store.new" "$store"
  fi
  git --git-dir="$store" "$@"
}

fail() {
  echo "state.sh: $1" >&2
  exit 1
}

# again makes a network call three times at the most. Code 2 is an answer: git ls-remote
# has asked, and there is no such branch.
again() {
  local code=0 try
  for try in 1 2 3; do
    code=0
    "$@" || code=$?
    if [ "$code" -eq 0 ] || [ "$code" -eq 2 ]; then return "$code"; fi
    if [ "$try" -lt 3 ]; then sleep "${STATE_PAUSE:-5}"; fi
  done
  return "$code"
}

# stands prints the commit of the branch, or "none". A remote that does not answer is an
# error, and never an absent branch.
stands() {
  local answer code=0
  answer=$(again kept ls-remote --exit-code "$remote" "$branch") || code=$?
  case "$code" in
  0) cut -f 1 <<< "$answer" ;;
  2) echo none ;;
  *) return 1 ;;
  esac
}

# fetched gets the branch and prints its commit, which is of this moment.
fetched() {
  again kept fetch --quiet --depth 1 "$remote" "$branch" && kept rev-parse --verify --quiet FETCH_HEAD
}

# says prints the serial and the lineage of a file lineage: of its two slots the later one.
says() {
  sed -n 's/^adsync state \([^ ]*\) serial \([0-9]*\) .*/\2 \1/p' | sort -n | tail -n 1 | grep .
}

# folded moves what a killed apply left in the log into state.db.
folded() {
  if [ -s "$state/state.db-wal" ]; then "${ADSYNC:-bin/adsync}" unlock "$ads" || return 1; fi
  [ ! -s "$state/state.db-wal" ]
}

# same reports whether the state here is that of a commit.
same() {
  [ "$1" != none ] || return 1
  local file
  for file in state.db lineage; do
    [ "$(kept hash-object "$state/$file")" = "$(kept rev-parse --verify --quiet "$1:$file")" ] || return 1
  done
}

get() {
  mkdir -p "$state"
  chmod 0700 "$state"
  local commit file
  commit=$(stands) || fail "$remote does not say whether it has $named; nothing was taken for an empty state"
  if [ "$commit" != none ]; then
    commit=$(fetched) || fail "$named could not be fetched; nothing was taken for an empty state"
  fi
  if [ -e "$state/state.db" ]; then
    folded || fail "the log in $state could not be folded into state.db; nothing was fetched over it"
    same "$commit" || same "$(cat "$note" 2>/dev/null || echo none)" ||
      fail "$state holds a state that $named does not have; put it there (state.sh put), or take the folder away"
  fi
  if [ "$commit" = none ]; then
    echo "no state yet: $remote has no branch adsync/state" >&2
  else
    for file in state.db lineage; do
      (umask 077 && kept show "$commit:$file" > "$state/$file.fetched")
    done
    for file in state.db lineage; do mv "$state/$file.fetched" "$state/$file"; done
  fi
  echo "$commit" > "$note"
}

# next refuses a state that does not follow that of the commit: it began at another one.
next() {
  local mine theirs
  if [ "$1" != "$2" ]; then
    fail "$named stands at $2, and this state began at $1: somebody else has put theirs; nothing was pushed"
  fi
  if [ "$2" = none ]; then return; fi
  mine=$(says < "$state/lineage") || fail "$state/lineage cannot be read; nothing was pushed"
  theirs=$(kept show "$2:lineage" | says) || fail "lineage on $named cannot be read; nothing was pushed"
  if [ "${mine#* }" != "${theirs#* }" ]; then
    fail "the state here is another one than that on $named; nothing was pushed over it"
  fi
  if [ "${mine% *}" -le "${theirs% *}" ]; then
    fail "the state here ends at ${mine% *}, and that on $named at ${theirs% *}; nothing was pushed over it"
  fi
}

# written makes a commit of the two files and prints it.
written() {
  local entries="" file blob tree parent=()
  for file in state.db lineage; do
    blob=$(kept hash-object -w "$state/$file")
    entries+="100644 blob $blob"$'\t'"$file"$'\n'
  done
  tree=$(printf '%s' "$entries" | kept mktree)
  if [ "$1" != none ] && [ "$tree" = "$(kept rev-parse "$1^{tree}")" ]; then
    echo "$1" # it is there
    return
  fi
  if [ "$1" != none ]; then parent=(-p "$1"); fi
  kept -c user.name=adsync -c user.email=adsync@localhost commit-tree "$tree" "${parent[@]}" -m "state after $(git rev-parse --short HEAD)"
}

put() {
  [ -e "$note" ] || fail "state.sh get did not come to its end before; nothing was pushed"
  if [ ! -e "$state/state.db" ]; then
    [ "$(cat "$note")" = none ] || fail "$state/state.db is gone; nothing was pushed"
    echo "no state to keep: nothing was applied" >&2
    return
  fi
  folded || fail "the log of a killed apply could not be folded into $state/state.db; nothing was pushed"
  local had commit mine
  had=$(cat "$note")
  if same "$had"; then return; fi # nothing was written
  commit=$(stands) || fail "$remote cannot be reached; the state was not kept, and lies in $state"
  if [ "$commit" != none ] && [ "$commit" != "$had" ]; then
    commit=$(fetched) || fail "$named could not be fetched; the state was not kept, and lies in $state"
  fi
  mine=$(written "$commit")
  if [ "$mine" != "$commit" ]; then
    next "$had" "$commit"
    # The lease is the last word: a branch that moved meanwhile is not written over.
    again kept push --quiet --force-with-lease="$branch:${commit/#none/}" "$remote" "$mine:$branch" || pushed "$mine"
  fi
  echo "$mine" > "$note"
}

# pushed reports whether a push whose answer was lost has arrived all the same.
pushed() {
  [ "$(stands)" = "$1" ] || fail "the state could not be pushed; it was not kept, and lies in $state"
}

case "${1:-}" in
get | put) "$1" ;;
*)
  echo "usage: state.sh get|put" >&2
  exit 2
  ;;
esac
