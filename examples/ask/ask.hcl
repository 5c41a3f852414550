variable "input" {
  default = "${pipeline.dir}/rows.jsonl"
}

variable "service" {
  description = "the address that is asked about each name"
}

variable "cache" {
  description = "a file that keeps the answers"
  default     = ""
}

variable "at_once" {
  description = "how many requests the service takes at a time"
  default     = 8
}

variable "seconds" {
  description = "how long the service may take for an answer"
  default     = 30
}

variable "pause" {
  description = "about how many seconds pass before a second try"
  default     = 0.5
}

variable "out" {
  default = "out/ask"
}

plugin "ask" {
  path = "${pipeline.dir}/ask.py"
  env  = ["PYTHONPATH"]
}

source "jsonl" "rows" {
  paths = [var.input]
}

step "ask" "about" {
  url     = var.service
  of      = "name"
  into    = "about"
  cache   = var.cache
  at_once = var.at_once
  seconds = var.seconds
  pause   = var.pause

  host {
    workers = 1 # each asks at_once at a time
    timeout = "10m"
  }
}

sink "jsonl" "rows" {
  path = "${var.out}/rows.jsonl"
}
