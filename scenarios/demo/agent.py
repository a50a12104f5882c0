#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One agent of `hotdesk demo`: an ordinary script that talks to an OpenAI-shaped API.

It knows nothing of Hotdesk: where to ask and who it is stand in OPENAI_BASE_URL and OPENAI_API_KEY,
as for any client. usage: agent.py JOB MODEL
"""

import json
import os
import sys
import urllib.error
import urllib.request

JOBS = {
    "triage": ["Sort this ticket into billing, bug or question: {0}"],
    "alerts": ["Is this log line an incident? {0}"],
    "digest": ["Write two sentences about today's news on {0}.", "Shorten that to one sentence."],
    "report": ["Write the daily report for {0}.", "Add a closing line.", "Give it a title."],
    "operator": ["Check the service {0} and say what you did.", "Did it work?"],
}
SUBJECTS = ["invoices", "the mail server", "backups", "the web shop", "disk space"]


def ask(model, messages, tokens):
    """Returns the answer's text; any HTTP error ends the agent with its message."""
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        data=json.dumps({"model": model, "messages": messages, "max_tokens": tokens,
                         "temperature": 0}).encode(),
        headers={"Content-Type": "application/json",
                 "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


def main():
    job, model = sys.argv[1], sys.argv[2]
    name = os.environ.get("HOTDESK_AGENT", job)
    subject = SUBJECTS[sum(name.encode()) % len(SUBJECTS)]
    messages = [{"role": "system", "content": f"You are {name}. Be brief."}]
    for step in JOBS[job]:
        messages.append({"role": "user", "content": step.format(subject)})
        text = ask(model, messages, tokens=16)
        messages.append({"role": "assistant", "content": text})
        print(f"{name}: {text!r}", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except urllib.error.HTTPError as error:
        print(f"{error.code}: {error.read().decode(errors='replace')}", file=sys.stderr)
        sys.exit(75 if error.code in (429, 503, 504) else 1)
