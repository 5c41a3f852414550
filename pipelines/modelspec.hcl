# Canonical rows, and the legacy shapes around them, become threads of the Modular Model Spec: system settings and
# messages, held against its rules. For rows of real people set privacy, which is off.

variable "input" {
  description = "which files to read"
  default     = "${pipeline.dir}/../examples/corpus/*.jsonl"
}

variable "out" {
  description = "the folder to write to"
  default     = "out/modelspec"
}

variable "privacy" {
  description = "replace the personal data and secrets that rules find; true for rows of real people"
  default     = false
}

variable "unfiltered" {
  description = "true for rows that hold nothing personal, so that a run without privacy is not warned of"
  default     = false
}

variable "vary" {
  description = "what of the developer messages made of canonical rows differs from row to row: order, wording, schema"
  type        = list(string)
  default     = [] # all rows have the same words
}

variable "calls" {
  description = "how calls are written: auto, consecutive, array, jsonl, python or yaml"
  default     = "auto" # a message each; several at the end of a row share one, so that none is cut
}

variable "negatives" {
  description = "which mistakes to make preference rows of: format_not_enabled, undeclared_tool, call_as_text, user_enabled_format"
  type        = list(string)
  default     = [] # none
}

variable "seed" {
  description = "another seed makes other variations and other mistakes"
  default     = "sluice"
}

variable "prompt_registry" {
  description = "a file of prompt templates by task, for flat records that have no system text; none: the text that the tooling falls back on"
  default     = ""
}

source "jsonl" "corpus" {
  paths = [var.input]
}

first "shape" {
  include "legacy" {
    file            = "legacy.steps.hcl"
    prompt_registry = var.prompt_registry
  }
}

# Off unless asked for; a run then warns that its rows are not filtered, unless unfiltered says that this is meant.
include "redact" {
  file    = "redact.steps.hcl"
  enabled = var.privacy
  out     = var.out
}

step "modelspec" "thread" {
  shape       = "row"
  tool_schema = "typescript"
  calls       = var.calls
  vary        = var.vary
  seed        = var.seed
}

include "rules" {
  file      = "rules.steps.hcl"
  out       = var.out
  negatives = var.negatives
  seed      = var.seed
}

# threads.jsonl, and preferences.jsonl where mistakes are made.
sink "jsonl" "rows" {
  path       = "${var.out}/{kind}s.jsonl"
  unfiltered = var.unfiltered
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
