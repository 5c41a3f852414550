# The rows that the Python tooling writes, byte for byte, to compare the two on a corpus. Its privacy filter misses most of the
# personal data and secrets that eliza-sft.hcl finds: do not publish or train on these rows.

variable "input" {
  description = "which files to read"
  default     = "${pipeline.dir}/../examples/corpus/*.jsonl"
}

variable "out" {
  description = "the folder to write to"
  default     = "out/reference"
}

variable "prompt_registry" {
  description = "a file of prompt templates by task, for flat records that have no system text; none: the text that the tooling falls back on"
  default     = ""
}

source "jsonl" "corpus" {
  paths = [var.input]
}

first "shape" {
  profile = "reference"

  include "legacy" {
    file            = "legacy.steps.hcl"
    prompt_registry = var.prompt_registry
  }
}

step "chatml" "row" {
  profile = "reference"
}

# The Python renderer filters the finished row, without the rule for structured coordinates.
step "privacy" "redact" {
  profile    = "reference"
  structured = false
}

sink "jsonl" "train" {
  path = "${var.out}/train.jsonl"
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
