#!/bin/sh
# In a workflow of GitHub: measures OSCOPE_SELECTION for OSCOPE_BUDGET, and compares with OSCOPE_BASELINE. Annotations go to
# standard output, a summary to GITHUB_STEP_SUMMARY, and the path of the record to GITHUB_OUTPUT. Exit 1 where a rule of
# OSCOPE_FAIL_IF is met.
set -eu
new=${RUNNER_TEMP:-/tmp}/oscope-${GITHUB_RUN_ID:-0}-${GITHUB_RUN_ATTEMPT:-0}.oscope.jsonl
rm -f "$new"
# The words of the selection, and of the rules, are split here.
oscope run ${OSCOPE_SELECTION:-syscall} --budget "${OSCOPE_BUDGET:-60s}" --quiet --output "$new" > /dev/null
echo "record=$new" >> "${GITHUB_OUTPUT:-/dev/null}"
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
if [ -z "${OSCOPE_BASELINE:-}" ]; then
    oscope report "$new" --format markdown >> "$summary"
    exit 0
fi
oscope compare "$OSCOPE_BASELINE" "$new" --format markdown >> "$summary"
set -- "$OSCOPE_BASELINE" "$new" --format github
for rule in ${OSCOPE_FAIL_IF:-}; do
    set -- "$@" --fail-if "$rule"
done
exec oscope compare "$@"
