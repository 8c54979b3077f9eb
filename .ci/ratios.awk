# Reads what "go test -bench" prints and prints, after it, the time of each benchmark as a
# multiple of that of the plain Go program for the same work: of the one beside it whose name
# is "plain Go". Of several runs the fastest counts, because other programs only make one slower.
{ print }
/^Benchmark/ && / ns\/op/ {
	name = $1
	sub(/-[0-9]+$/, "", name)
	if (!(name in best)) order[++n] = name
	if (!(name in best) || $3 < best[name]) best[name] = $3
}
END {
	print "\ntimes plain Go"
	for (i = 1; i <= n; i++) {
		parent = order[i]
		sub(/\/[^\/]*$/, "", parent)
		plain = parent "/plain_Go"
		if (plain in best && order[i] != plain) printf "%8.2f  %s\n", best[order[i]] / best[plain], order[i]
	}
}
