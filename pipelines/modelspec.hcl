# Canonical rows, and the legacy shapes around them, become threads of the Modular Model Spec: system settings and
# messages, held against its rules. Rows of real people belong through the privacy step of eliza-sft.hcl first.

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

first "shape" {
  step "native" "canonical" {}
  step "messages" "rendered" {}
  step "eliza-record" "flat" {}
}

step "modelspec" "thread" {
  shape       = "row"
  tool_schema = "typescript"
}

step "modelspec-check" "rules" {
  output "findings" {
    sink "jsonl" "findings" {
      path = "${var.out}/findings.jsonl"
    }
  }
}

sink "jsonl" "threads" {
  path = "${var.out}/threads.jsonl"
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
