#!/bin/sh
# Submits one job that measures the network between the pairs of its nodes, no node in two pairs at a time; a record for each
# pair goes into one directory. Again, it measures what is missing. Words behind its name go to sbatch:
#     sh SCRIPT --account=NAME --time=4:00:00
@PROGRAM_FOR_ALL@

job() {
    cat <<'JOB'
@JOB@

# usage: on NODE COMMAND…
on() {
    node=$1
    shift
    srun --overlap --nodes=1 --ntasks=1 --mem=0 --nodelist="$node" "$@"
}

# usage: pair CLIENT SERVER
pair() {
    [ ! -e "$shared/$1--$2.oscope.jsonl" ] || return 0
    log=$shared/logs/$1--$2
    on "$2" "$program" serve --listen 0.0.0.0:0 --sessions 1 --for 12h > "$log.server" 2>> "$log.log" &
    server=$!
    tries=0
    until grep -q -e --key "$log.server" || [ "$tries" -ge 60 ]; do
        tries=$((tries + 1))
        sleep 1
    done
    port=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' "$log.server")
    OSCOPE_PEER_KEY=$(sed -n 's/.* --key //p' "$log.server")
    export OSCOPE_PEER_KEY
    address=$(scontrol --oneliner show node "$2" | sed 's/.* NodeAddr=\([^ ]*\).*/\1/')
    on "$1" "$program" fleet node --shared "$shared" --name "$1--$2" \
        @SELECTION@ -- @RUN@ --peer "$address:$port" >> "$log.log" 2>&1 || echo "$1--$2: see $log.log" >&2
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    # It held the key.
    rm -f "$log.server"
}

nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
"$program" fleet rounds $nodes > "$shared/logs/rounds.$SLURM_JOB_ID"
while read -r client server; do
    if [ -z "$client" ]; then
        wait
    else
        pair "$client" "$server" < /dev/null &
    fi
done < "$shared/logs/rounds.$SLURM_JOB_ID"
wait
JOB
}

nodes=$(@NODES@)
count=0
list=
for node in $nodes; do
    count=$((count + 1))
    list=$list,$node
done
id=$(job | sbatch --parsable --job-name=oscope-pairs --nodelist="${list#,}" --nodes="$count" --ntasks-per-node=1 --exclusive --mem=0 \
    --requeue --open-mode=append --output="$shared/logs/pairs.%j.log" --chdir=/tmp @OPTIONS@ "$@")
echo "$count nodes: job $id"
