# A program finds names and addresses, beside what the rules of the privacy step find. Install the packages of
# names_addresses.py first.

variable "input" {
  default = "${pipeline.dir}/people.jsonl"
}

variable "out" {
  default = "out/recognisers"
}

variable "python" {
  default = "python3"
}

source "jsonl" "corpus" {
  paths = [var.input]
}

step "privacy" "redact" {
  backend = {
    command   = [var.python, "${pipeline.dir}/names_addresses.py"]
    min_score = 0.5
  }

  host {
    env = ["PATH", "HOME"] # to find Python, and what it keeps in the home folder
  }

  output "ledger" {
    sink "jsonl" "ledger" {
      path = "${var.out}/ledger.jsonl"
    }
  }
}

sink "jsonl" "rows" {
  path = "${var.out}/people.jsonl"
}
