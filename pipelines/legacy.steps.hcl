# The shapes that the Python tooling reads, as they are ranked. reference.hcl includes them in a first.

variable "prompt_registry" {
  description = "a file of prompt templates by task, for flat records that have no system text; none: the text that the tooling falls back on"
  default     = ""
}

step "native" "canonical" {}

step "messages" "rendered" {}

step "eliza-record" "flat" {
  prompt_registry = var.prompt_registry
}
