# Threads held against the rules of the Modular Model Spec, and preference rows made of them: modelspec.hcl and threads.hcl include it.

variable "out" {
  description = "the folder of the findings"
}

variable "negatives" {
  description = "kinds of mistakes to make in preference rows"
  type        = list(string)
}

variable "seed" {
  description = "another seed draws other mistakes"
}

variable "unfiltered" {
  description = "true for rows that hold nothing personal"
  type        = bool
}

step "modelspec-check" "rules" {
  output "findings" {
    sink "jsonl" "findings" {
      path       = "${var.out}/findings.jsonl"
      unfiltered = var.unfiltered
    }
  }
}

# Behind a thread come the preference rows made of it: its own answer is chosen, and one with a mistake rejected.
step "modelspec-negatives" "mistakes" {
  kinds = var.negatives
  seed  = var.seed
}
