#!/bin/sh
# A new machine: measures everything (seven minutes) and writes a page and a table beside the record.
# usage: qualify.sh DIRECTORY
set -eu
directory=$1
mkdir -p "$directory"
oscope describe >"$directory/machine.txt"
oscope run all --with-parts --quiet --output "$directory/record.oscope.jsonl" >"$directory/summary.txt"
oscope report "$directory/record.oscope.jsonl" --format html --output "$directory/page.html"
oscope report "$directory/record.oscope.jsonl" --format csv --output "$directory/table.csv"
