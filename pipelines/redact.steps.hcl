# Personal data and secrets, unless that is switched off: modelspec.hcl, threads.hcl and migrate.hcl include it. Rules miss values, and do
# not look for names of people, for example: sluice docs privacy lists what they do not look for.

variable "enabled" {
  description = "whether personal data and secrets are replaced"
  type        = bool
}

variable "out" {
  description = "the folder of the ledger"
}

step "privacy" "redact" {
  host {
    enabled = var.enabled
  }

  output "ledger" {
    sink "jsonl" "ledger" {
      path = "${var.out}/ledger.jsonl"
    }
  }
}
