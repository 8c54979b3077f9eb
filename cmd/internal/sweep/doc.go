// Package sweep runs corpora of cases, each a specification of exec or dispatch with lists
// of chips, rule sets, seeds, checks and timing that multiply, and merges what they gave.
//
//	corpus   JSON lines; [Open] reads them and finds the cases, [Init] makes some
//	chunk    the cases whose ids have the same hash, of 4096: what one worker runs at a time,
//	         and one file of results. A shard is every n-th chunk, so that which shard a case
//	         is of hangs on its id and on n alone
//	journal  the file of a chunk that is not finished: a line a case, so that a run which is
//	         killed loses the cases at hand only
//	worker   a child process, see [Serve]: a case that takes the process down is a result
//	bucket   failures of the same kind, instruction and rule, with the smallest case
//
// What [Merge] says does not depend on shards, order or interruptions: results hold no
// times, and chunks are sorted. Files are reached through [Store]: a directory, or what
// serves the protocol of S3.
package sweep
