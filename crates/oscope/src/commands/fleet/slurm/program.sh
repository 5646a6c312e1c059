set -eu
shared=@SHARED@
source=@SOURCE@
program=@PROGRAM@

mkdir -p "$shared/logs"
if [ -z "$program" ]; then
    # Renamed when it is whole: jobs of an earlier submission may be copying it.
    cp "$source" "$shared/.oscope.$$"
    chmod 755 "$shared/.oscope.$$"
    mv -f "$shared/.oscope.$$" "$shared/.oscope"
fi
