#!/usr/bin/env bash
# Puts a plan into one note of a merge request: the first time it is made,
# afterwards changed. Copy to ci/comment.sh.
#   comment.sh plan.md
#   ADSYNC_COMMENT_TOKEN, and CI_… as GitLab sets them
set -euo pipefail
file="$1"
if [ ! -s "$file" ]; then
  echo "no plan was made; see the lines before" >&2
  exit 0
fi
marker=$(head -n 1 "$file") # <!-- adsync:plan:… -->
notes="$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes"

# The token comes from standard input, so that it is in no list of processes.
call() {
  printf 'header = "PRIVATE-TOKEN: %s"\n' "$ADSYNC_COMMENT_TOKEN" | curl --fail --silent --show-error --config - "$@"
}

# Anybody can write the marker: a note counts whose author has this token.
author=$(call "$CI_API_V4_URL/user" | jq .id)
id=""
page=1
while [ -z "$id" ] && [ "$page" -le 50 ]; do
  answer=$(call "$notes?per_page=100&page=$page")
  id=$(jq --raw-output --arg marker "$marker" --argjson author "$author" \
    'map(select(.author.id == $author and (.body | startswith($marker)))) | .[0].id // empty' <<< "$answer")
  if [ "$(jq length <<< "$answer")" -lt 100 ]; then break; fi
  page=$((page + 1))
done
if [ -n "$id" ]; then
  call --output /dev/null --request PUT --data-urlencode "body@$file" "$notes/$id"
else
  call --output /dev/null --request POST --data-urlencode "body@$file" "$notes"
fi
