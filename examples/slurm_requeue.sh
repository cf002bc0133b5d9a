#!/bin/sh
# A Slurm job that goes on until its runs are complete, however often its time is over:
#     sbatch slurm_requeue.sh survey.yaml --output results/survey
# Five minutes before its limit Slurm sends SIGTERM to onda, which writes what it is computing to disk and exits with 75;
# the job then queues itself again. A node that fails costs what was computed since the last checkpoint.
#SBATCH --job-name=onda
#SBATCH --time=12:00:00
#SBATCH --signal=TERM@300
#SBATCH --requeue
#SBATCH --open-mode=append

srun onda run "$@"
code=$?
if [ "$code" -eq 75 ]; then
  exec scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
