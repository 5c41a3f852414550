# The row that step chatml makes of an eliza_native_v1 row, where nothing in it has to be repaired or rejected.

def text:
  if type == "array" then map(select(.type == "text").text) | join("") else . // "" end;

def call:
  {id: .toolCallId, type: "function", function: {name: .toolName, arguments: .input | tojson}};

def calls(list):
  [list | call] | if . == [] then {} else {tool_calls: .} end;

def message:
  if .role == "assistant" then
    {role, content: .content | text} + calls(.content | arrays | .[] | select(.type == "tool-call"))
  elif .role == "tool" and (.content | type == "array") then
    .content[] | {role: "tool", tool_call_id: .toolCallId, name: .toolName, content: (.output.value | strings // tojson)}
  else
    {role, content: .content | text}
  end;

def tool:
  {type: "function", function: {name, description, parameters: .inputSchema}};

{
  messages: [
    (.request.system // empty | {role: "system", content: .}),
    (.request.messages // [{role: "user", content: .request.prompt}] | .[] | message),
    (.response | {role: "assistant", content: (.text // "")} + calls(.toolCalls // [] | .[]))
  ]
} + (.request.tools | if . then {tools: map(tool)} else {} end)
