#!/bin/sh
# Submits a run of oscope on every node, one node at a time for itself; records go into one directory.
# Again, it submits all, and what has been measured is left alone. Words behind its name go to sbatch:
#     sh SCRIPT --account=NAME --time=1:00:00
@PROGRAM_FOR_ALL@
repeats=@REPEATS@
every=@EVERY@

job() {
    cat <<'JOB'
@JOB@
status=0
"$program" fleet node --shared "$shared" --repeat "$SLURM_ARRAY_TASK_ID" @WORDS@ || status=$?
exit "$status"
JOB
}

submit() {
    array=$1
    node=$2
    begin=$3
    shift 3
    job | sbatch --parsable --job-name=oscope --nodelist="$node" --nodes=1 --ntasks=1 --exclusive --mem=0 \
        --array="$array" --begin="now+$begin" --requeue --open-mode=append --output="$shared/logs/$node.%a.log" \
        --chdir=/tmp @OPTIONS@ "$@"
}

nodes=$(@NODES@)
submitted=0
for node in $nodes; do
    if [ "$every" -eq 0 ]; then
        ids=$(submit "1-$repeats%1" "$node" 0 "$@") || ids=
    else
        ids=
        repeat=1
        while [ "$repeat" -le "$repeats" ]; do
            id=$(submit "$repeat" "$node" "$(((repeat - 1) * every))" "$@") || break
            ids="$ids $id"
            repeat=$((repeat + 1))
        done
    fi
    if [ -n "$ids" ]; then
        echo "$node: job" $ids
        submitted=$((submitted + 1))
    else
        echo "$node: not submitted" >&2
    fi
done
[ "$submitted" -gt 0 ] || {
    echo "no node to submit to" >&2
    exit 1
}
