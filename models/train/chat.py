# SPDX-License-Identifier: MIT
"""The conversation format that the three models share, twice: in Python for training, and as the
Jinja template that goes into the GGUF. Run as a program, this file compares the two.

A training example is a dict:
  {"messages": [{"role": "system|user|assistant|tool", "content": str,
                 "tool_calls": [{"name": str, "arguments": dict}]}],      (tool_calls: optional)
   "tools":    [{"type": "function", "function": {"name", "description", "parameters"}}],
   "check":    {...}}                                                   (facts for score())

A data module (clerk.py, writer.py, operator.py) offers
  examples(split, seed) -> Iterator[dict]   endless and deterministic; split is "train" or "held",
                                            and held uses templates, names, label sets and tools
                                            that train never uses
  score(example, answer) -> dict[str, bool] answer is {"content": str, "tool_calls":
                                            [{"name": str, "arguments": dict, or str if no JSON}]}

The model learns each assistant turn. What is asked for in an evaluation is the last one.
"""
import json

SYSTEM, USER, ASSISTANT, TOOL, END = "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>", "<|end|>"
CALL, CALL_END = "<tool_call>", "</tool_call>"
SPECIAL = [END, SYSTEM, USER, ASSISTANT, TOOL, CALL, CALL_END]

# One line a tool: "get_weather(city: string, unit?: celsius|fahrenheit) Current weather of a city".
TEMPLATE = """\
{%- if tools or messages[0].role == 'system' -%}
{{- '<|system|>' -}}
{%- if messages[0].role == 'system' -%}{{- messages[0].content -}}{%- endif -%}
{%- if tools -%}
{{- '\\nTools:' -}}
{%- for tool in tools -%}
{%- set f = tool.function -%}
{%- set schema = f.parameters or {} -%}
{%- set fields = schema['properties'] or {} -%}
{%- set required = schema['required'] or [] -%}
{{- '\\n' + f.name + '(' -}}
{%- for name in fields -%}
{%- set field = fields[name] -%}
{%- if not loop.first -%}{{- ', ' -}}{%- endif -%}
{{- name + ('' if name in required else '?') + ': ' -}}
{%- if field['enum'] -%}{{- field['enum'] | join('|') -}}
{%- elif field['type'] == 'array' and field['items'] -%}{{- field['items']['type'] + '[]' -}}
{%- else -%}{{- field['type'] or 'any' -}}{%- endif -%}
{%- endfor -%}
{{- ') ' + (f.description or '') -}}
{%- endfor -%}
{%- endif -%}
{{- '<|end|>' -}}
{%- endif -%}
{%- for message in messages -%}
{%- if not (loop.first and message.role == 'system') -%}
{{- '<|' + message.role + '|>' + (message.content or '') -}}
{%- for call in message.tool_calls or [] -%}
{%- set f = call.function or call -%}
{{- '<tool_call>{"name": "' + f.name + '", "arguments": ' + (f.arguments | tojson) + '}</tool_call>' -}}
{%- endfor -%}
{{- '<|end|>' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|assistant|>' -}}{%- endif -%}
"""


def render_field(name, field, required):
    if field.get("enum"):
        kind = "|".join(map(str, field["enum"]))
    elif field.get("type") == "array" and field.get("items"):
        kind = field["items"]["type"] + "[]"
    else:
        kind = field.get("type") or "any"
    return f"{name}{'' if name in required else '?'}: {kind}"


def render_tool(tool):
    function = tool["function"]
    schema = function.get("parameters") or {}
    required = schema.get("required") or []
    fields = (schema.get("properties") or {}).items()
    inside = ", ".join(render_field(name, field, required) for name, field in fields)
    return f"\n{function['name']}({inside}) {function.get('description') or ''}"


def render_call(call):
    arguments = json.dumps(call["arguments"], ensure_ascii=False)
    return f'{CALL}{{"name": "{call["name"]}", "arguments": {arguments}}}{CALL_END}'


def render_turn(message):
    calls = "".join(map(render_call, message.get("tool_calls") or []))
    return f"<|{message['role']}|>{message['content'] or ''}{calls}{END}"


def render(messages, tools, add_generation_prompt):
    text = ""
    has_system = messages[0]["role"] == "system"
    if tools or has_system:
        text += SYSTEM + (messages[0]["content"] if has_system else "")
        if tools:
            text += "\nTools:" + "".join(map(render_tool, tools))
        text += END
    text += "".join(map(render_turn, messages[1:] if has_system else messages))
    return text + (ASSISTANT if add_generation_prompt else "")


def read_answer(text):
    """What llama.cpp's parser makes of a generated assistant turn, for scoring in training."""
    content, *calls = text.split(CALL)
    parsed = []
    for call in calls:
        body = call.split(CALL_END)[0]
        try:
            value = json.loads(body)
            parsed.append({"name": value["name"], "arguments": value["arguments"]})
        except (ValueError, KeyError, TypeError):
            parsed.append({"name": "", "arguments": body})
    return {"content": content.strip(), "tool_calls": parsed}


def render_with_jinja(messages, tools, add_generation_prompt):
    import jinja2
    environment = jinja2.Environment()
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment.from_string(TEMPLATE).render(
        messages=messages, tools=tools, add_generation_prompt=add_generation_prompt)


def check():
    """The template and render() agree, on every form that a conversation can take."""
    tools = [{"type": "function", "function": {
        "name": "lookup", "description": "Finds it", "parameters": {
            "type": "object", "required": ["key"], "properties": {
                "key": {"type": "string"}, "unit": {"type": "string", "enum": ["a", "b"]},
                "ids": {"type": "array", "items": {"type": "integer"}}, "free": {}}}}},
        {"type": "function", "function": {"name": "bare"}}]
    call = {"name": "lookup", "arguments": {"key": 'a "quoted" <é>', "ids": [1, 2], "on": True}}
    turns = [{"role": "user", "content": "Find it.\n"},
             {"role": "assistant", "content": "", "tool_calls": [call]},
             {"role": "tool", "content": '{"found": 3}'},
             {"role": "assistant", "content": "There are 3."}]
    system = [{"role": "system", "content": "Be brief."}]
    for messages in (turns, system + turns, turns[:1]):
        for offered in ([], tools):
            for prompt in (False, True):
                ours = render(messages, offered, prompt)
                theirs = render_with_jinja(messages, offered, prompt)
                assert ours == theirs, f"render() says {ours!r}, the template {theirs!r}"
    print(ours)


if __name__ == "__main__":
    check()
