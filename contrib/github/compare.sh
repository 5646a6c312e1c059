#!/bin/sh
# In a workflow of GitHub: measures OSCOPE_SELECTION in OSCOPE_RUNS runs of OSCOPE_BUDGET each, and compares them with the records
# of OSCOPE_BASELINE: what runs differ by is measured only where each side has two or more. Annotations go to standard output, a
# summary to GITHUB_STEP_SUMMARY, and the paths of the records to GITHUB_OUTPUT. Exit 1 where a rule of OSCOPE_FAIL_IF is met.
set -eu
stem=${RUNNER_TEMP:-/tmp}/oscope-${GITHUB_RUN_ID:-0}-${GITHUB_RUN_ATTEMPT:-0}
set --
run=1
while [ "$run" -le "${OSCOPE_RUNS:-2}" ]; do
    new=$stem-$run.oscope.jsonl
    rm -f "$new"
    # The words of the selection, the baseline and the rules are split here.
    oscope run ${OSCOPE_SELECTION:-syscall} --budget "${OSCOPE_BUDGET:-30s}" --quiet --output "$new" > /dev/null
    set -- "$@" "$new"
    run=$((run + 1))
done
echo "records=$*" >> "${GITHUB_OUTPUT:-/dev/null}"
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
if [ -z "${OSCOPE_BASELINE:-}" ]; then
    oscope report "$1" --format markdown >> "$summary"
    exit 0
fi
oscope compare $OSCOPE_BASELINE --with "$@" --format markdown >> "$summary"
set -- "$@" --format github
for rule in ${OSCOPE_FAIL_IF:-}; do
    set -- "$@" --fail-if "$rule"
done
exec oscope compare $OSCOPE_BASELINE --with "$@"
