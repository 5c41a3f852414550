test "sessions that take turns are joined, the last ones at the end" {
  input "rows" {
    rows = <<-EOT
      {"session": "a", "n": 1}
      {"session": "b", "n": 2}
      {"session": "a", "n": 3}
    EOT
  }

  expect sink "sessions" {
    rows = <<-EOT
      {"session": "a", "records": [{"session": "a", "n": 1}, {"session": "a", "n": 3}]}
      {"session": "b", "records": [{"session": "b", "n": 2}]}
    EOT
  }
}
