# The plugin is the program sluice-plugin-hello, found beside this file.

variable "input" {
  default = "${pipeline.dir}/names.jsonl"
}

variable "out" {
  default = "out/hello"
}

source "jsonl" "names" {
  paths = [var.input]
}

step "hello" "greet" {
  greeting = "good morning"
}

sink "jsonl" "greeted" {
  path = "${var.out}/greeted.jsonl"
}
