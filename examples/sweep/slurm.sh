#!/bin/bash
# One shard of a sweep for each task of an array:
#
#	sbatch --array=0-63 examples/sweep/slurm.sh corpus.jsonl
#
# OUT is the directory of results, on a file system that all nodes share. A task that is killed
# goes on where it was when Slurm runs it again; afterwards: gcnsim sweep merge $OUT
#SBATCH --job-name=gcnsim-sweep
#SBATCH --requeue
#SBATCH --cpus-per-task=1
set -eu
exec "${GCNSIM:-gcnsim}" sweep "$@" --out="${OUT:-results}" \
	--shard="$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN))/$SLURM_ARRAY_TASK_COUNT" --jobs="${SLURM_CPUS_PER_TASK:-1}"
