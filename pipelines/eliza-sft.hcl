# The main job: trajectories and the legacy shapes around them become ChatML rows, with retired action names replaced
# and personal data and secrets taken out.

variable "input" {
  description = "which files to read"
  default     = "${pipeline.dir}/../examples/corpus/*.jsonl"
}

variable "out" {
  description = "the folder to write to"
  default     = "out"
}

source "jsonl" "corpus" {
  paths = [var.input]
}

# Ranked. The first step that does not decline takes the record; delete a block once its corpus is migrated.
first "shape" {
  step "native" "canonical" {}
  step "messages" "rendered" {}
  step "eliza-record" "flat" {}
}

step "alias" "actions" {
  file = "${pipeline.dir}/aliases/eliza.json"
}

step "privacy" "redact" {
  profile = "standard"

  output "ledger" {
    sink "jsonl" "ledger" {
      path = "${var.out}/ledger.jsonl"
    }
  }
}

step "chatml" "row" {
  arguments = "string"
}

sink "jsonl" "train" {
  path = "${var.out}/train.jsonl"
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
