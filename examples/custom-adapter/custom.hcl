# Reads support desk logs beside the shapes that sluice knows. The adapter is the program sluice-plugin-desk, found
# beside this file.

variable "input" {
  default = "${pipeline.dir}/tickets.jsonl"
}

variable "out" {
  default = "out/custom-adapter"
}

source "jsonl" "corpus" {
  paths = [var.input]
}

# Ranked. The adapters before the own one see a ticket first, and decline it.
first "shape" {
  step "native" "canonical" {}
  step "messages" "rendered" {}

  step "desk" "tickets" {
    metadata = { license = "team-internal" }
  }

  step "pair" "pairs" {}
}

# Replaces the personal data and secrets that rules find; sluice docs privacy lists what they do not look for.
step "privacy" "redact" {}

sink "jsonl" "canonical" {
  path = "${var.out}/canonical.jsonl"
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
