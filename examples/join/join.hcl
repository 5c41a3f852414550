# The plugin is the program sluice-plugin-join, found beside this file.

variable "input" {
  default = "${pipeline.dir}/rows.jsonl"
}

variable "out" {
  default = "out/join"
}

source "jsonl" "rows" {
  paths = [var.input]
}

step "join" "sessions" {
  key  = "session"
  open = 2
}

sink "jsonl" "sessions" {
  path = "${var.out}/sessions.jsonl"
}
