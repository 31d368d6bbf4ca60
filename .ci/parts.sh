# The parts of .ci/run: each is run, printed, counted, and named at the end if it failed.
# Expects $reports, a folder, and $printed, a file in it for the output of the part that runs.

passed=0 failed=0 skipped=0

# cpu  Sets $cpu to the seconds that the finished child processes of this shell have used, of all cores.
cpu() {
  times >"$printed.times"
  cpu=$(tail -n 1 "$printed.times" | tr 'ms' '  ' | awk '{printf "%d", $1 * 60 + $2 + $3 * 60 + $4}')
}

# note NAME  Keeps the lines of its input for the summary: what failed in that part.
note() {
  sed "s|^|== FAILED: $1: |" | cut -c 1-300 >>"$reports/failures"
}

# failures  The tests that failed, as Deno, Node and Bun print them; if there are none, the end of the output.
failures() {
  sed -nE -e 's/^(.+) => \.\/tests\/.+:[0-9]+:[0-9]+$/deno: \1/p' -e 's/^(\.\/tests\/.+ \(uncaught error\))$/deno: \1/p' \
    -e 's/^✖ (.+) \([0-9.]+ms\)$/node: \1/p' -e 's/^\(fail\) (.+)$/bun: \1/p' \
    -e 's/^FAILED(: | on )(.+)$/\2/p' "$printed" | sort -u >"$printed.failures"
  if [ -s "$printed.failures" ]; then head -n 40 "$printed.failures"; else grep . "$printed" | tail -n 10; fi
}

# part NAME COMMAND…  Runs a part, prints its output when it ends, and says how long it took. A part that fails, or that
# is expected to count and does not, is one failure more; the parts after it run all the same.
part() {
  local name=$1 started=$SECONDS before verdict=ok
  shift
  cpu
  before=$cpu
  printf '\n== %s: %s\n' "$name" "$*"
  "$@" >"$printed" 2>&1 || verdict=FAILED
  cpu
  printf '\n== %s: the output\n' "$name"
  cat "$printed"
  printf '== %s: %s, %d s, %d s of CPU\n' "$name" "$verdict" $((SECONDS - started)) $((cpu - before))
  [ "$verdict" = ok ] && return
  { echo "the command failed" && failures; } | note "$name"
  return 1
}

# number WORD  The number before that word in the last line that says how many passed; 0 if there is none.
number() {
  local line
  line=$(grep -E '[0-9]+ passed' "$printed" | tail -n 1 | grep -oE "[0-9]+ $1")
  printf '%d' "${line%% *}"
}

# tests NAME SKIPPED COMMAND…  A part that runs tests; SKIPPED is its word for the ones it left out.
tests() {
  local name=$1 word=$2 fine=0 failures
  shift 2
  part "$name" "$@" || fine=1
  failures=$(number failed)
  if [ "$(number passed)" = 0 ] || { [ $fine = 1 ] && [ "$failures" = 0 ]; }; then failures=$((failures + 1)); fi
  [ "$(number passed)" != 0 ] || echo "no test passed" | note "$name"
  [ "$(number "$word")" = 0 ] || echo "$(number "$word") skipped" | note "$name"
  passed=$((passed + $(number passed))) failed=$((failed + failures)) skipped=$((skipped + $(number "$word")))
}

# empty NAME FOLDER  Fails if the part of that name left anything in its temporary folder.
empty() {
  local left
  left=$(ls -A "$2")
  [ -z "$left" ] && return
  printf 'left in the temporary folder: %s\n' $left | note "$1"
  failed=$((failed + 1))
}

# lane NAME  Runs the parts of that function, one after another.
lane() {
  printed=$reports/$1 passed=0 failed=0 skipped=0
  "$1"
  echo "$passed $failed $skipped" >"$printed.sum"
}

# add_lane NAME  Adds the counts of a lane that has ended.
add_lane() {
  local more_passed=0 more_failed=1 more_skipped=0
  read -r more_passed more_failed more_skipped <"$reports/$1.sum" || echo "it did not end" | note "$1"
  passed=$((passed + more_passed)) failed=$((failed + more_failed)) skipped=$((skipped + more_skipped))
}

# summary  Prints what failed, and the counts, as the last lines; fails if there was a failure, or a test left out.
summary() {
  echo
  [ ! -f "$reports/failures" ] || cat "$reports/failures"
  printf '\n%d s\n%d passed, %d failed, %d skipped\n' $SECONDS $passed $failed $skipped
  [ $failed = 0 ] && [ $skipped = 0 ]
}
