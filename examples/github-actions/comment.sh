#!/usr/bin/env bash
# Puts a plan into one comment of a pull request: the first time it is made,
# afterwards changed. Copy to ci/comment.sh.
#   comment.sh plan.md
#   PULL  number of the pull request; GH_TOKEN and GITHUB_REPOSITORY as Actions sets them
set -euo pipefail
file="$1"
if [ ! -s "$file" ]; then
  echo "no plan was made; see the step before" >&2
  exit 0
fi
marker=$(head -n 1 "$file") # <!-- adsync:plan:… -->
# Anybody can write the marker: a comment counts whose author has this token.
author=$(gh api graphql --field 'query={ viewer { login } }' --jq .data.viewer.login)
quoted() { printf '%s' "$1" | jq --raw-input --slurp .; }
id=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$PULL/comments" --jq ".[] |
  select(.user.login == $(quoted "$author") and (.body | startswith($(quoted "$marker")))) | .id" | head -n 1)
if [ -n "$id" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$file"
else
  gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$PULL/comments" --field "body=@$file"
fi
