#!/bin/sh
# Measures hosts over ssh; the record of each comes into one directory here. Again, it measures what is missing.
# OSCOPE_SSH replaces the command that reaches a host.
set -u
shared=@SHARED@
program=@PROGRAM@
ssh=${OSCOPE_SSH:-ssh -o BatchMode=yes}

mkdir -p "$shared/logs"

# usage: measure HOST FILE COMMAND
measure() {
    [ ! -e "$shared/$2" ] || return 0
    {
        $ssh "$1" 'mkdir -p .oscope-fleet && cat > .oscope-fleet/program && chmod 755 .oscope-fleet/program' < "$program" &&
            $ssh -n "$1" "$3"
    } >> "$shared/logs/$2.log" 2>&1 || echo "$1: see $shared/logs/$2.log" >&2
    # A run that says that nothing could be measured has a record, too. It has its name when it is whole.
    if $ssh -n "$1" "cat .oscope-fleet/$2" > "$shared/.$2.$$" 2>/dev/null && [ -s "$shared/.$2.$$" ]; then
        mv "$shared/.$2.$$" "$shared/$2"
        # What another run left partial stays.
        $ssh -n "$1" "rm -f .oscope-fleet/$2 .oscope-fleet/program; rmdir .oscope-fleet 2>/dev/null"
    else
        rm -f "$shared/.$2.$$"
    fi
}

@CALLS@
missing=0
for file in @FILES@; do
    [ -e "$shared/$file" ] || {
        echo "missing: $file" >&2
        missing=1
    }
done
exit "$missing"
