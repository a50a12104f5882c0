# SPDX-License-Identifier: MIT
"""The words that writer.py builds its examples from, apart for training and for the held-out test.

A table with "train" and "held" shares nothing between the two. What stands outside such a table is
the task itself, which the model has to know: the kinds of report, the keys with a phrase of their
own, and what "errors" and "totals" mean in a log."""

# Of the syllables that names are made of, the plain ones twice.
ONSETS = "b br ch d dr f fl g gr h j k kl l m n p pr qu r s sch sk sl st t th tr v w x y z".split()
VOWELS = "a e i o u ai ea ei ou".split()
CODAS = "n r s l m nd rt st".split()

# What is counted, and in which state: "orders", "orders late".
NOUNS = {
    "train": "orders tickets errors users builds backups jobs alerts mails tests files requests visits calls "
             "tasks hosts pages logins reviews payments refunds retries restarts sessions servers messages "
             "customers items pods reports uploads leads cases rooms seats votes".split(),
    "held": "invoices parcels bookings passengers deployments contracts sensors machines queries licences "
            "complaints tenants scans vouchers shipments crashes".split()}
STATES = {
    "train": "open closed failed new done late waiting sent lost running total blocked used left "
             "today".split(),
    "held": "pending overdue rejected signed idle dropped delayed accepted".split()}
# What is measured, and its units.
MEASURES = {
    "train": [("disk used", ["percent", "GB"]), ("memory", ["GB", "MB", "percent"]), ("latency", ["ms"]),
              ("response time", ["ms", "s"]), ("revenue", ["EUR"]), ("cost", ["EUR"]), ("temperature", ["C"]),
              ("uptime", ["percent", "days", "h"]), ("load", [""]), ("cpu", ["percent", "%"]),
              ("battery", ["percent", "%"]),
              ("power", ["W"]), ("traffic", ["GB", "MB"]), ("error rate", ["percent", "%"]), ("cache hits", ["%"]),
              ("backup size", ["GB"]), ("speed", ["km/h"]), ("free space", ["GB", "TB"]), ("profit", ["EUR"]),
              ("duration", ["s", "min"]), ("average", ["", "ms"]), ("score", [""]), ("stock", ["pieces"]),
              ("budget", ["EUR"]), ("cpu time", ["s"]), ("p95", ["ms"]), ("cases per day", [""])],
    "held": [("humidity", ["percent", "%"]), ("wait time", ["minutes"]), ("margin", ["percent"]), ("sales", ["USD"]),
             ("fuel", ["litres"]), ("energy", ["kWh"]), ("pressure", ["bar"]), ("distance", ["km"]),
             ("throughput", ["MB/s"]), ("weight", ["kg"]), ("swap", ["KB"]), ("rent", ["CHF"]), ("max delay", ["us"]),
             ("hours booked", [""]), ("water level", ["cm"]), ("voltage", ["V"])]}
# Keys whose value is in words, and those words.
CONDITIONS = {
    "train": [("state", "ok good bad running stopped".split()), ("backup", "done failed running missing".split()),
              ("health", "green yellow red".split()), ("trend", "up down flat".split()),
              ("priority", "high low normal".split()), ("mode", "normal test safe".split()),
              ("result", "passed failed mixed".split())],
    "held": [("condition", "stable critical degraded".split()), ("weather", "rain sun snow".split()),
             ("severity", "minor major".split()), ("phase", "planning closing".split())]}
# Keys whose value is a time or a date.
MOMENTS = {"train": ["last run", "started", "next run", "last login", "due"], "held": ["last seen", "next visit"]}
REMARKS = {"train": ["note", "cause", "reason", "next step", "plan", "comment", "fix"],
           "held": ["remark", "action", "risk", "finding", "outlook"]}
PERSON_KEYS = ["owner", "fixed by", "reported by"]
ADJECTIVES = {
    "train": "broken full expired slow wrong bad missing old late new second open loose empty blocked double "
             "unknown large dirty".split(),
    "held": "faulty corrupt stale invalid delayed leaking overheated outdated".split()}
THINGS = {
    "train": "cable disk certificate query password sector file key update index switch config order label "
             "address invoice cache fan door printer token table".split(),
    "held": "router battery schema pump adapter licence sensor firmware backup pallet".split()}
DAYS = {"train": "Monday Tuesday Thursday Friday Sunday".split(), "held": ["Wednesday", "Saturday"]}
MONTHS = {"train": "January February March April June July August October November".split(),
          "held": ["May", "September", "December"]}
PLACE_ENDS = {"train": ["", "", "-api", "-web", "-db", " Shop", " North", " office", " team"],
              "held": ["", "", "-proxy", "-queue", " Store", " East", " plant"]}
FIRM_ENDS = {"train": ["Shop", "support", "team", "Service", "GmbH", "Travel"],
             "held": ["Store", "Helpdesk", "Ltd", "Care"]}

# How facts are laid out; {k} and {v} are the key and the value. "json" stands for an object.
LAYOUTS = {"train": ["{k}: {v}\n", "{k}: {v}\n", "- {k}: {v}\n", "{k} = {v}\n", "{k}: {v}; ", "{k}={v}; ",
                     "json", "json", "json lines"],
           "held": ["* {k}: {v}\n", "{k} -> {v}\n", "{k}: {v}\n", "{k}: {v} / ", "{k}: {v}, ", "json", "json lines"]}

# The kinds of report: how the answer begins, and what the request calls them.
REPORTS = {
    "status": ("Status", "of", {"train": ["status report", "daily report", "daily status report", "short status report",
                                    "report of the day", "daily status"],
                          "held": ["status overview", "brief daily report", "status note", "end of day report"]}),
    "week": ("Weekly figures", "of", {"train": ["weekly report", "report of the week", "report with the weekly figures",
                                          "short weekly report", "weekly summary"],
                                "held": ["weekly overview", "brief report of the week", "note on the weekly figures"]}),
    "incident": ("Incident", "at", {"train": ["incident report", "summary of the incident", "short incident report",
                                        "report on the incident"],
                              "held": ["incident note", "brief incident summary", "overview of the incident"]}),
    "alerts": ("Alerts", "at", {"train": ["digest of the alerts", "alert digest", "short alert digest",
                                          "list of alerts"],
                                "held": ["brief digest of alerts", "alert overview", "note on the alerts"]}),
}
SUBJECT_KEYS = {"train": ["service", "name", "site", "team", "host", "shop", "subject"],
                "held": ["service", "name", "branch", "unit"]}
# {a} is the report, {n} " for NAME" or nothing, {w} " on DATE" or nothing.
REQUESTS = {
    "train": ["Write a {a}{n}{w}.", "Write the {a}{n}{w}.", "Draft a {a}{n}{w}.", "Please write the {a}{n}{w}.",
              "Make a {a}{n}{w} from these facts.", "I need the {a}{n}{w}.", "Give me a {a}{n}{w}.",
              "Turn these facts into a {a}{n}{w}.", "The facts for the {a}{n}{w} are here. Write it.",
              "Prepare a {a}{n}{w}. Keep all figures.", "Use the facts and write a {a}{n}{w}."],
    "held": ["Compose a {a}{n}{w}.", "Could you write the {a}{n}{w}?", "We need a {a}{n}{w}, with every figure.",
             "From the data given, produce a {a}{n}{w}.", "Now the {a}{n}{w}, please.",
             "Please put this into a {a}{n}{w}."]}
FOR = {"train": ["for", "of", "on", "about", "at"], "held": ["concerning", "covering", "regarding"]}
AS_LIST = {"train": [" Write it as a list.", " As a list.", " Use a list with one fact a line.", " List the facts.",
                     " Make it a list."],
           "held": [" Please list them.", " In the form of a list.", " A list is best."]}
AS_TEXT = {"train": ["", "", "", " Be brief.", " One sentence.", " Add nothing.", " Keep the order."],
           "held": ["", " Keep it short.", " Invent nothing.", " No extra words."]}
# A fact with one of these keys is told in these words, all others as "key value".
PHRASES = {"began": "it began at {}", "ended": "it ended at {}", "owner": "{} owns it",
           "fixed by": "{} fixed it", "reported by": "{} reported it"}

REPLIES = {
    "train": ["Write a reply to the customer.", "Reply to the customer.", "Answer the customer with these facts.",
              "Draft a reply to this customer.", "Write the customer a short reply.", "Please answer the customer.",
              "Write a mail to the customer.", "Write back to the customer."],
    "held": ["Compose an answer to the customer.", "Send the customer a reply.",
             "The customer waits for a reply. Please write it.", "Mail the customer, using each fact."]}
CUSTOMER_SAYS = {
    "train": ["Where is my order {}?", "I wait for order {}.", "My order {} is broken.", "What about order {}?",
              "Please help me with order {}.", "I want my money back for order {}."],
    "held": ["Order {} did not come.", "Did you lose my order {}?", "Any news of {}?"]}
REPLY_PHRASES = {"order": "This is about your order {}.", "amount": "We pay back {}.",
                 "arrives": "It arrives on {}.", "ordered": "You ordered it on {}.",
                 "reason": "The reason is: {}."}
OTHER_REPLY = "Please note: {}."

WRITER_SYSTEM = {
    "train": ["You write short reports and replies from facts.", "You are a writer. Use only the given facts.",
              "Write from the facts. Never invent a figure.", "You write reports.", "Keep every figure as it is given.",
              "You help with texts."],
    "held": ["You are a careful author. Invent nothing.", "You turn facts into text.",
             "Short texts only, each figure as given."]}
CONDENSE_SYSTEM = {
    "train": ["You condense tool results.", "You make long results short.", "Keep only what is asked for.",
              "You condense text. Never invent a figure."],
    "held": ["Your job is to condense long output.", "You shorten tool results and add nothing.",
             "Long output becomes short."]}
# {what} is what is to be kept.
CONDENSE = {
    "train": ["Condense this. Keep {what}.", "Keep {what}.", "Condense the result: keep {what}.", "Keep only {what}.",
              "Make it short, but keep {what}.", "Shorten this and keep {what}.", "I only need {what}.",
              "Condense the output to {what}.", "Summary, please: keep {what}.", "Tell me {what}.",
              "Condense the tool result. Keep {what}, drop the rest."],
    "held": ["Please reduce this to {what}.", "Drop everything but {what}.", "Shorter, please, and keep just {what}.",
             "What matters here: {what}. Condense it.", "From this output I want {what}."]}
# Without a wish, what is kept of a log is errors, failures and totals, of a table its totals, and of
# facts all.
CONDENSE_PLAINLY = {
    "train": ["Condense this.", "Condense the result.", "Make this short.", "Condense the tool result.",
              "Summary, please."],
    "held": ["Please condense this output.", "Reduce this.", "Shorter, please."]}
# Words for lines to keep: what the request calls them, the marks that stand for them in a log. The
# last line of an output often has no mark.
KEEP_WORDS = {"errors": ["ERROR", "error:", "Error:", "FATAL"], "warnings": ["WARN", "WARNING", "warning:"],
              "failures": ["FAIL", "FAILED", "failed:"], "totals": ["total", "Total:", "total:", "TOTAL"],
              "the summary": ["summary:", "Summary:"], "the last line": [""]}
END_WORDS = ["totals", "the summary", "the last line"]
MARKS = {"train": ["ERROR", "WARN", "FAIL", "FATAL", "failed", "slow", "error", "blocked", "late", "LOST", "BAD"],
         "held": ["CRITICAL", "denied", "TIMEOUT", "SEVERE", "expired", "ALERT"]}
MARKED = {"train": ["the {} lines", "lines with {}", "all {} lines", "what is marked {}"],
          "held": ["each line marked {}", "every {} line", "those with {}"]}
CALM = {"train": ["INFO", "DEBUG", "ok", "PASS", "info", "OK", "note", "done"],
        "held": ["TRACE", "NOTICE", "good", "fine"]}
# {t} is a time, {m} the mark, {x} the message.
LOG_LINES = {"train": ["{t} {m} {x}", "{t} {m} {x}", "{m} {x}", "{m} {t} {x}", "[{m}] {x}", "{t} [{m}] {x}"],
             "held": ["{t} - {m} {x}", "({m}) {x}", "{t} | {m} {x}", "{m} - {x}"]}
# {s} is a source, {p} a person, {f} a key with its value, {c} a cause, {n} and {d} numbers, {a} what is
# counted, {b} its state.
MESSAGES = {
    "train": ["{s}: {f}", "{s}: {f}", "{s} {c}", "{s}: {c}, {f}", "{s}: {c} after {n} s", "{s} took {n} ms",
              "{s} by {p}", "{s}: {c}, code {n}", "{s}: step {d} of {n}", "{s}: {f}, {f}", "{s} reads {n} lines"],
    "held": ["{s}: {c} since {n} s", "{s} with {f}", "{s}: {p} has {n} left", "{s}: {c}, line {n}, {f}",
             "{s}: try {d}, {c}"]}
SUMMARIES = {"train": ["{n} {a}, {d} {b}", "{n} in {d} s", "{n} {a}", "{f}, {f}", "{n} {a} of {n}"],
             "held": ["{d} {a} and {n} {b}", "{n} {a} within {d} min", "{f} and {d} {b}"]}
# What is between two cells; "aligned" stands for columns of equal width.
TABLES = {"train": [" | ", ",", "  ", "; ", " | ", "aligned"], "held": [", ", " / ", " : ", "aligned"]}
ENDINGS = {"train": ["log", "csv", "txt", "py", "zip", "db", "conf"], "held": ["json", "pdf", "tar", "sql"]}
# {z} is the size, {e} the date, {f} the file.
LISTINGS = {"train": ["{f} {z}", "{f} {z}", "{f} {z} {e}", "{f}: {z} bytes", "{f}  {z}  {e}",
                      "{z} {f}", "{z}  {e}  {f}"],
            "held": ["{f} - {z}", "{f}, {z} bytes, {e}", "{f} | {z}", "{e} {z} {f}"]}
NAMED_FILES = {"train": ["the size of {}", "the sizes of {}", "{}"], "held": ["how large {} is", "the bytes of {}"]}
ENDED_FILES = {"train": ["the .{} files", "all .{} files", "files with .{}"],
               "held": ["every .{} file", "what ends in .{}"]}
ROWS_OF = {"train": ["the row of {}", "the rows of {}", "{}", "the figures of {}"],
           "held": ["what it says of {}", "the line of {}"]}
