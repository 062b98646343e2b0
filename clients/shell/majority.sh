#!/bin/sh
# The class of most training rows, for every row: a method without parameters that gives labels, with data = "csv".
echo '{"ready": 1}' >&3
while read -r request; do
    field() { printf '%s' "$request" | sed "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/"; }
    data=$(field data) out=$(field out)
    class=$(sed 1d "$data/train.y.csv" | sort -n | uniq -c | sort -k1,1nr -k2,2n | awk 'NR == 1 { print $2 }')
    for batch in $(printf '%s' "$request" | sed 's/.*"answer": *\[\([^]]*\)\].*/\1/' | tr '",' '  '); do
        sed "1s/\$/,answer/; 2,\$s/\$/,$class/" "$data/$batch.token.csv" >"$out/$batch.partial"
        mv "$out/$batch.partial" "$out/$batch.csv"
    done
    echo "{\"trial\": \"$(field trial)\", \"done\": true}" >&3
done
