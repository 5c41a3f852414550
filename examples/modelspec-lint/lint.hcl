# The plugin is the program sluice-plugin-modelspec-lint, found beside this file.

variable "input" {
  default = "${pipeline.dir}/threads.jsonl"
}

variable "out" {
  default = "out/modelspec-lint"
}

source "jsonl" "threads" {
  paths = [var.input]
}

# This check rejects what is plain; here the plugin's guess is to be seen.
step "modelspec-check" "rules" {
  checks = { demanded_format = "label" }
}

step "modelspec-lint" "guesses" {
  output "findings" {
    sink "jsonl" "findings" {
      path = "${var.out}/guesses.jsonl"
    }
  }
}

sink "jsonl" "threads" {
  path = "${var.out}/{lint}.jsonl"
}
