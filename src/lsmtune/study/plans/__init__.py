"""What a study goes through, a plan for each kind: stages ask a runner for runs and decide from what it made."""
