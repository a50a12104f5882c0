# SPDX-License-Identifier: MIT
"""The word lists that nano-operator's data is composed of. No logic: operator_tools.py makes tools of
them and operator_task.py conversations. A table with "train" and "held" is split between the two for good."""

# (group, wordings). Tools on one object are offered together only if their groups differ, so that a
# request never fits two of them.
VERBS = (
    ("view", "read/show/display/view"), ("view", "check/inspect/examine"),
    ("view", "find/look up/locate"), ("view", "get/fetch/retrieve"),
    ("view", "list/enumerate"), ("view", "verify/validate"), ("view", "test/try out"),
    ("view", "watch/monitor"), ("view", "measure/gauge"), ("count", "count/tally"),
    ("create", "create/make/add"), ("delete", "delete/remove/erase"), ("delete", "clean/wipe"),
    ("update", "update/change/edit/modify"), ("update", "rename/relabel"), ("send", "send/forward"),
    ("send", "share/publish"), ("move", "move/relocate"), ("copy", "copy/duplicate/clone"),
    ("start", "start/launch/activate"), ("start", "resume/continue"), ("stop", "stop/halt/deactivate"),
    ("stop", "pause/suspend"), ("restart", "restart/reboot/reset"), ("approve", "approve/accept"),
    ("cancel", "reject/decline/refuse"), ("cancel", "cancel/call off"), ("assign", "assign/delegate"),
    ("close", "close/finish"), ("lock", "lock/block"), ("unlock", "unlock/unblock"),
    ("archive", "archive/put away"), ("compress", "compress/zip/pack"), ("download", "download/pull"),
    ("upload", "upload/push"), ("export", "export"), ("import", "import"),
    ("plan", "schedule/plan"), ("plan", "reserve/book"), ("renew", "renew/extend"),
    ("sync", "sync/synchronize"), ("backup", "back up/save"), ("restore", "restore/recover"),
    ("merge", "merge/combine"), ("print", "print"), ("repair", "repair/fix"), ("label", "label/tag/mark"),
    ("rate", "rate/score"), ("encrypt", "encrypt"), ("deploy", "deploy/roll out/install"),
)
PLURAL_VERBS = ("list", "enumerate", "count", "tally")

OBJECTS = {
    "train": """file/document folder/directory service/daemon ticket/issue order/purchase invoice/bill user
        server/machine disk/volume snapshot message/note alert/alarm report/summary meeting/appointment
        log/journal database table queue job/task container image/picture package/parcel payment
        customer/client contract device sensor/probe door/gate lamp/light room shipment/delivery
        product/article coupon playlist song/tune recipe video/clip certificate key domain website/site
        branch build release model camera printer robot pump valve plant garden car/vehicle
        script/program process session cluster network router rule policy template form survey course
        lesson chart/graph dashboard calendar reminder event project team member role permission secret
        partition bucket mailbox thread comment review quote budget machine-part filter engine tank
        window parking-spot desk badge cable heater fan oven stock-item loan claim license""".split(),
    "held": """telescope bicycle ferry warehouse glossary firewall antenna elevator ledger notebook blueprint
        orchard turbine locker kiosk subscription warranty scanner beehive voucher webhook battery
        greenhouse transcript firmware crane""".split(),
}

# slot: (argument names, kind, phrases of train, phrases of held). A tool has at most one argument of
# a slot, so that a phrase says which argument it fills.
SLOTS = {
    "host": ("host/node/machine/server", "host", "on {}/on host {}/on the machine {}",
             "over on {}/at the host {}"),
    "city": ("city/town/location", "city", "in {}/in the city of {}/near {}", "over in {}/around {}"),
    "date": ("date/day/due", "date", "dated {}/for {}/by {}/on the day {}", "on the date {}/due {}"),
    "email": ("email/recipient/to", "email", "to {}/for {}/to the address {}", "addressed to {}/going to {}"),
    "path": ("path/file/filename", "path", "at {}/under {}/with the file {}", "located at {}/in the file {}"),
    "target": ("target/destination", "path", "into {}/over to {}", "ending up in {}/into the place {}"),
    "url": ("url/link", "url", "from {}/found at {}", "that is at {}/from the link {}"),
    "amount": ("amount/price/sum", "number", "worth {}/for {} euros/of {} dollars",
               "at {} euros/costing {} dollars"),
    "count": ("count/limit/max_results", "integer", "at most {}/up to {} of them/limited to {}",
              "not more than {}/with a limit of {}"),
    "port": ("port", "port", "on port {}/through port {}", "over port {}/via the port {}"),
    "minutes": ("minutes/duration", "integer", "for {} minutes/lasting {} minutes",
                "during {} minutes/taking {} minutes"),
    "timeout": ("timeout/seconds", "integer", "within {} seconds/waiting {} seconds",
                "in less than {} seconds/after {} seconds"),
    "percent": ("percent/threshold", "integer", "above {} percent/at {}%", "beyond {} percent/reaching {}%"),
    "priority": ("priority/urgency", "priority", "with {} priority/at {} priority",
                 "having {} priority/of {} priority"),
    "format": ("format/output", "format", "as {}/in {} format", "written as {}/in the {} format"),
    "level": ("level/severity", "severity", "at level {}/with level {}", "on level {}/of level {}"),
    "color": ("color/colour", "color", "in {}/colored {}", "in the color {}/painted {}"),
    "size": ("size", "size", "in size {}/as a {} one", "of {} size/of size {}"),
    "unit": ("unit/units", "unit", "in {}/in degrees {}", "given in {}/measured in {}"),
    "language": ("language/lang", "language", "in {}/into {}", "in the {} language/to {}"),
    "mode": ("mode/plan/profile", "mode", "in {} mode/using the {} mode", "under the {} mode/in the mode {}"),
    "title": ("title/subject/headline", "text", "titled {}/with the title {}",
              "under the title {}/entitled {}"),
    "text": ("text/body/content", "text", "saying {}/with the text {}/that says {}",
             "reading {}/containing the text {}"),
    "reason": ("reason/cause", "text", "because of {}/due to {}/for the reason {}",
               "on account of {}/the reason being {}"),
    "query": ("query/pattern/keyword", "query", "matching {}/for {}/with the word {}",
              "that match {}/including {}"),
    "owner": ("owner/assignee/user", "word", "owned by {}/assigned to {}/for the user {}",
              "belonging to {}/of the user {}"),
    "person": ("person/employee/contact", "person", "with {}/together with {}",
               "alongside {}/jointly with {}"),
    "channel": ("channel/group", "channel", "in channel {}/in the group {}",
                "inside {}/within the channel {}"),
    "version": ("version", "version", "version {}/at version {}", "in version {}/of version {}"),
    "tag": ("tag/category/topic", "word", "tagged {}/with the tag {}", "under the tag {}/bearing the tag {}"),
    "region": ("region/zone/site", "word", "in region {}/in the zone {}",
               "within the region {}/across zone {}"),
}
# Kinds that are a choice: value -> what else a request may call it.
CHOICES = {
    "priority": {"low": "lowest", "medium": "normal/average", "high": "urgent/top"},
    "format": {"json": "JSON", "csv": "CSV", "pdf": "PDF", "xml": "XML", "html": "HTML"},
    "severity": {"debug": "DEBUG", "info": "INFO", "warning": "WARNING/warn", "error": "ERROR",
                 "critical": "CRITICAL"},
    "color": {"red": "", "green": "", "blue": "", "white": "", "black": "", "yellow": ""},
    "size": {"small": "tiny", "medium": "mid-sized", "large": "big/huge"},
    "unit": {"celsius": "Celsius", "fahrenheit": "Fahrenheit"},
    "language": {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian"},
}
# name: (what makes it true, what makes it false) for train, then for held.
FLAGS = {
    "force": ("with force/by force", "without force", "forcibly", "with no force"),
    "recursive": ("recursively/with all subfolders", "not recursively", "in recursive mode",
                  "in non-recursive mode"),
    "dry_run": ("as a dry run", "not as a dry run/for real", "in a dry run", "without a dry run"),
    "notify": ("and notify the team", "without notifying anyone", "then notify everybody",
               "but do not notify people"),
    "verbose": ("with verbose output", "without verbose output", "in a verbose way",
                "in a way that is not verbose"),
    "public": ("so that it is public", "so that it is not public", "making it public",
               "not making it public"),
    "wait": ("and wait for it", "without waiting", "then wait until it ends", "and do not wait"),
}
GENERIC = {
    "train": ("with {n} {v}", "with {n} {v}", "{n} {v}", "{n}={v}", "{n}: {v}", "with the {n} {v}",
              "using {n} {v}", "for {n} {v}", "and the {n} is {v}", "with {v} as {n}"),
    "held": ("where the {n} is {v}", "and {n} set to {v}", "taking {v} as the {n}", "({n} {v})",
             "the {n} being {v}"),
}
GENERIC_FLAG = {
    "train": (("with {n} on", "{n} on", "{n}: yes", "{n}=true"),
              ("with {n} off", "{n} off", "{n}: no", "{n}=false")),
    "held": (("with {n} true", "{n} being on", "with {n} set to yes"),
             ("with {n} false", "{n} being off", "with {n} set to no")),
}
NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()

DESCRIPTIONS = {
    "train": ("{V} {a}.", "{V} {a}.", "{V} one {o}.", "{V} the given {o}.", "Use this to {v} {a}.",
              "Can {v} {a}.",
              "Tool to {v} {a}.", "For users who want to {v} {a}.", "{V} {a} and report the outcome."),
    "held": ("Call this to {v} {a}.", "Helps to {v} {a}.", "{V} exactly one {o}.",
             "{V} the {o} that was asked for."),
}
PLURAL_DESCRIPTIONS = {
    "train": ("{V} the {s}.", "{V} all {s}.", "Use this to {v} the {s}.", "Can {v} {s}."),
    "held": ("Call this to {v} the {s}.", "{V} every one of the {s}."),
}
KEY_PHRASES = {
    "train": ("the {o} {v}", "the {o} {v}", "{o} {v}", "the {o} called {v}", "the {o} named {v}",
              "our {o} {v}", "the {v} {o}"),
    "held": ("the {o} known as {v}", "this {o}: {v}", "that {o} {v}", "my {o} {v}"),
}
NO_KEY = {"train": ("the {o}", "{a}", "one of the {s}", "our {o}"), "held": ("that {o}", "some {o}",
                                                                             "any of the {s}")}
PLURAL = {"train": ("the {s}", "all {s}", "our {s}"), "held": ("every one of the {s}", "these {s}", "my {s}")}

# {c} is the clause, "restart the service kelmo"; {C} the same with a capital.
FRAMES = {
    "train": ("{C}.", "{C}.", "{C}.", "{C}", "{c}", "Please {c}.", "please {c}", "{C}, please.",
              "Can you {c}?", "Could you {c}?",
              "Could you please {c}?", "I need you to {c}.", "I want to {c}.", "We have to {c}.", "Hi, {c}.",
              "Hello! Please {c}.",
              "Now {c}.", "Go ahead and {c}.", "Will you {c} for me?", "It is time to {c}.",
              "My boss asked me to {c}.",
              "Next: {c}.", "I would like to {c}.", "Let us {c}.", "You should {c}.", "Task: {c}.",
              "Help me {c}.",
              "Quick one: {c}.", "Make sure to {c}.", "Okay, {c} now."),
    "held": ("Would you be able to {c}?", "Do me a favour and {c}.", "The plan says to {c}.",
             "Somebody has to {c}.",
             "Dear operator, {c}.", "I was told to {c}.", "What I want is to {c}.", "If possible, {c}.",
             "Be so kind and {c}.",
             "Your job: {c}.", "{C}, thank you.", "Today we must {c}."),
}
THEN = {"train": ("{1}, then {2}", "{1} and then {2}", "first {1}, then {2}", "{1}; after that {2}"),
        "held": ("{1}, and afterwards {2}", "start with this: {1}; then {2}")}
IF = {"train": ("{1}, and if it is {s}, {2}", "{1}; if the answer is {s}, {2}", "{1} and {2} if it is {s}",
                "{1}, and in case it is {s}, {2}"),
      "held": ("{1}, and should it be {s}, {2}", "{1}, then {2}, but only if it is {s}")}
ASIDES = {
    "train": ("The customer is waiting.", "Thanks in advance.", "I am back from lunch.",
              "This is for the audit.",
              "We talked about it yesterday.", "Nobody else is here.", "It should not take long.",
              "I tried it myself before.",
              "The others are in a meeting.", "Take your time.", "That is all for today.",
              "We had trouble this morning."),
    "held": ("The office closes soon.", "Sorry for the trouble.", "My colleague is ill.",
             "I owe you a coffee.",
             "Everything else looks fine.", "We promised it last week."),
}
SMALL_TALK = {
    "train": ("Tell me a joke.", "How are you today?", "What do you think about {w}?",
              "Write a poem about {w}.",
              "Who was {w}?", "What does {w} mean?", "Sing a song for {w}.", "Hello there.",
              "Is it going to be a good year?",
              "Explain to me why {w} is so famous.", "Good morning, {w} here.", "Thank you, that was all."),
    "held": ("Do you like {w}?", "What is your favourite {w}?", "Tell me a story about {w}.",
             "How old are you?",
             "I feel tired after {w}.", "Why is the sky blue?"),
}
SYSTEMS = {
    "train": ("You are an operator. Use the tools.", "Use one of the tools if it fits.",
              "You are {w}. Be brief.",
              "Answer with a tool call or say that no tool fits.", "You operate the machines of {w}.",
              "You are a helpful assistant.",
              "You are {w}, an operator with tools.", "Call the right tool. Copy the values exactly.",
              "Be brief.",
              "You are an agent. Do the task with the tools."),
    "held": ("You work for {w} and have these tools.", "Act as the operator on duty.",
             "Do what the user asks by means of the tools.",
             "You are the night shift at {w}. Keep it short."),
}
NONE = "None of the tools can do that."

# What tools report. name: kind, as of arguments.
FIELDS = {
    "train": {
        "status": "state", "state": "state", "pid": "integer", "count": "integer", "total": "number",
        "size_mb": "integer", "used_percent": "integer", "free_gb": "integer", "owner": "word",
        "id": "id", "created": "date", "version": "version", "uptime_days": "integer",
        "temperature": "number", "city": "city", "path": "path", "host": "host", "price": "number",
        "lines": "integer", "user": "word", "ticket_id": "id", "email": "email",
        "delivery_date": "date", "load": "number", "text": "text", "content": "text", "files": "list",
        "names": "list", "services": "list", "title": "text", "exit_code": "integer",
        "queue_length": "integer", "reference": "id", "carrier": "word", "forecast": "state",
        "message": "text", "reachable": "bool", "enabled": "bool", "locked": "bool", "full": "bool",
        "available": "bool", "healthy": "bool",
    },
    "held": {
        "outcome": "state", "memory_mb": "integer", "balance": "number", "location": "city",
        "changed": "date", "contact": "email", "serial": "id", "pages": "integer", "subject": "text",
        "hosts": "list", "stage": "state", "winner": "word", "errors_found": "integer", "users": "list",
        "visible": "bool", "archived": "bool",
    },
}
STATE_FIELDS = {"train": ("status", "state", "result", "health"), "held": ("stage", "outcome")}
STATES = {
    "train": """ok running stopped open closed pending shipped done active failed idle ready sunny rainy cloudy
        delayed paid queued""".split(),
    "held": "waiting sleeping empty signed printed foggy frozen".split(),
}
REASONS = {
    "train": ("permission denied", "{w} not found", "no such file", "host {w} is unreachable",
              "timeout after {i} seconds",
              "the disk is full", "{w} is locked by {w}", "connection refused", "invalid id {d}",
              "quota of {i} exceeded",
              "unknown user {w}", "not enough memory", "{w} is already running", "no answer from {h}"),
    "held": ("access to {w} was refused", "{w} does not exist", "the request took longer than {i} seconds",
             "{h} is switched off",
             "wrong password for {w}", "too many calls, wait {i} minutes", "record {d} is missing"),
}
# How a tool says that it failed. What is not a dict is plain text.
ERROR_FORMS = {
    "train": ({"error": "{r}"}, {"status": "error", "message": "{r}"}, {"ok": False, "reason": "{r}"},
              "Error: {r}"),
    "held": ({"ok": False, "error": "{r}"}, {"error": True, "message": "{r}"}),
}
TEXT_WORDS = """pump leak weekly budget review water main office printer jam slow page login broken link
    missing part late delivery new laptop monthly figures price list spare room noise night shift red light
    fuel level door stuck cold coffee machine update plan old server hot fan loud test alarm roof window
    paint team lunch call back soon second floor key lost empty tank short note wrong date double payment""".split()
