# SPDX-License-Identifier: MIT
"""What the clerk knows: the subjects of a message, with the names their labels go by and templates.

"held" templates say with much the same words, in other sentences, what "train" says."""


def subject(kinds, labels, about, train, held):
    return {"kinds": kinds.split(), "labels": labels.split("; "), "about": about,
            "train": train.strip().split("\n"), "held": held.strip().split("\n")}


SUBJECTS = {
    "billing": subject("ticket mail", "billing; payment; payments; invoice question; billing issue; accounting",
        "questions about invoices and charges", """
I was charged twice for my subscription on {day}.
The invoice {id} shows {money}, but we agreed on a lower amount.
Why is there a charge of {money} on my credit card?
My payment of {money} was declined although the card is valid.
Please send me the invoice for order {id}.
Our accounting department needs a corrected invoice with our tax number.
The amount on my bill from {date} is wrong.
You billed me for {n} users, but we only have fewer.
Which payment methods do you accept for invoice {id}?
I would like to pay by bank transfer instead of credit card.
The VAT on bill {id} was calculated wrongly.
The card payment failed and I was still charged {money}.""", """
My credit card statement lists the payment of {money} twice.
There is an error in invoice {id}: the amount should be lower.
Can I change the payment method for my next bill to bank transfer?
We were billed {money} and do not understand this charge."""),
    "refund": subject("ticket mail", "refund; refund request; refunds; money back; returns; return",
        "the customer wants money back or returns a product", """
I want my money back for order {id}.
Please refund the {money} to my account.
I returned the {Product} {n} days ago and have not received my refund.
How do I return a product that I do not like?
The item does not fit, I would like to send it back and get a refund.
When will the refund of {money} arrive?
I am not satisfied and request a full refund.
Can I return the {Product} within {n} days and get my money back?
I sent the package back on {day}, where is my refund?
Please give me back the {money} that I paid.
I need a return label to send the item back.
A refund was promised to me by {name}, but nothing came.""", """
Order {id} goes back to you, please return my money.
It has been {n} days since I sent the {Product} back, and still no refund.
I am asking for a refund of {money}.
What must I do to return this item and get my money back?"""),
    "login": subject("ticket mail", "login; password; account access; sign in; access problem; login problem",
        "cannot sign in, or lost the password", """
I forgot my password and cannot log in.
The password reset link does not arrive in my inbox.
My account {mail} is locked after too many attempts.
I cannot sign in since {day}, it says wrong password.
The two-factor code for my login is never accepted.
Please unlock my user account {mail}.
How can I reset my password?
After I changed my phone I can no longer sign in to my account.
The login page says my user name is unknown.
I lost access to my account and need a new password.
Signing in fails with the message invalid credentials.
The reset link for my password has expired.""", """
I am locked out: my password is not accepted any more.
Could you reset the password of {mail}? I cannot sign in.
It says invalid credentials each time I try to log in.
The code for signing in to my account does not arrive."""),
    "delivery": subject("ticket mail", "delivery; shipping; shipment; delivery status; parcel; logistics",
        "where a parcel is, or how it arrived", """
Where is my parcel {id}? It should have arrived on {day}.
The package has not been delivered yet.
The tracking number {id} shows no movement for {n} days.
The courier left my parcel at the wrong address.
My shipment arrived with a damaged box.
Can you change the delivery address of order {id}?
How long does shipping to {City} take?
The delivery of our {n} boxes is late.
The driver did not ring, and now the package is in {City}.
When will order {id} be shipped?
Tracking says delivered, but I have received no parcel.
Is express shipping to {City} possible?""", """
I am still waiting for package {id}, tracking says it left {City}.
Has my order {id} been shipped already? When will it arrive?
The courier delivered the parcel to a wrong address in {City}.
Our shipment is {n} days late."""),
    "bug": subject("ticket", "bug; bug report; software bug; defect; technical problem; software error",
        "the software does something wrong", """
The app crashes when I open the {Product} page.
After the update to version {n} the export button does nothing.
I get a white screen when I click on save.
The app freezes every time I scroll down the list.
Search shows wrong results for words with an accent.
The program crashes with error code {id}.
The button on the settings page does not react in the new version.
Sorting the table by date gives a wrong order.
The app closes itself when I rotate the screen.
Uploading a picture shows error {id}, on every browser.
Since the last update the screen flickers.
The calendar view shows each entry twice, that must be a bug.""", """
When I click the export button, the app crashes.
Version {n} of the app freezes on the settings page.
Error {id} appears on the screen whenever I press save.
Since the update the list is shown in a wrong order, looks like a bug."""),
    "feature": subject("ticket", "feature request; feature; suggestion; idea; improvement; wish",
        "asks for something the product cannot do yet", """
It would be great if the app had a dark mode.
Please add an export to {Product}.
I suggest a shortcut for closing all tabs.
Could you add support for a second language?
A calendar view would be a nice improvement.
My wish for the next version: sorting by size.
It would be nice to be able to share a list with my team.
Have you thought about adding a widget for the phone?
I have an idea: let users choose the colour of the buttons.
We would love to have an integration with {Product}.
Please consider adding tags to the notes.
An option to hide finished tasks would be useful.""", """
Would it be possible to add a dark mode in the next version?
I have a suggestion: a widget that shows the list would be nice.
We would love an option to share notes, please add it.
It would be useful to have an export to {Product}, please consider it."""),
    "cancel": subject("ticket mail", "cancellation; cancel; cancel subscription; termination; churn",
        "wants to end the contract or subscription", """
I want to cancel my subscription.
Please terminate my contract {id} at the end of the month.
How do I cancel my plan?
We do not need the service any more, please end our subscription.
Hereby I cancel contract {id}.
Stop the automatic renewal of my plan.
Please confirm the cancellation of my membership.
I no longer use {Product} and wish to end my plan.
We switch to another provider and cancel as of {date}.
What is the notice period if I want to cancel?
Do not renew my subscription, I am leaving.
Please cancel my membership number {id}.""", """
We are leaving for another provider: please end contract {id}.
I do not want my subscription to be renewed, please cancel it.
Please confirm that my plan is terminated as of {date}.
My membership {id} should end this month, I cancel it."""),
    "praise": subject("ticket mail", "praise; compliment; positive feedback; thanks; kudos",
        "a friendly word about good work", """
Your support was excellent, thank you so much!
I just want to say that I love {Product}.
Great work, the new design is wonderful.
{name} from your team was very friendly and helped me at once.
Best app I have ever used, keep it up!
Thank you for the quick and kind help.
We are very happy with your service.
Five stars, everything works perfectly.
What a wonderful team you have, thank you for everything.
I am impressed how fast my question was answered.
Kudos to {name}, who was so patient with me.
Everything was perfect, I will recommend you to friends.""", """
I am so happy with {Product}, great work!
Please thank {name} for the excellent and friendly help.
Wonderful service, I recommend you to all my friends.
Just a compliment: your team is fast and kind."""),
    "complaint": subject("ticket mail", "complaint; negative feedback; complaints; angry customer; dissatisfaction",
        "the customer is angry about how he was treated", """
I am very disappointed by your support, nobody answers.
This is the worst customer service I have ever seen.
Your employee {name} was rude to me on the phone.
I have been waiting on the line for {n} minutes, this is unacceptable.
I wish to complain about the way I was treated.
Nobody calls me back, I am really angry.
It is a shame how you treat loyal customers.
I am fed up with being ignored by your team.
Terrible experience, I will tell everybody about it.
{name} hung up on me, this is an insult.
I asked {n} times and was ignored each time, unacceptable!
I will never buy from you again, such rude people.""", """
Your team ignored me {n} times, I am angry and disappointed.
I must complain: {name} was rude and hung up.
Unacceptable! Nobody answers the phone, the worst service ever.
It is a shame that I was treated this way."""),
    "privacy": subject("ticket mail", "privacy; data protection; gdpr; personal data; data request",
        "about personal data: to see it, correct it or have it deleted", """
Please delete all my personal data.
Under the GDPR I request a copy of the data you store about me.
Which personal data do you keep about {mail}?
I withdraw my consent to the processing of my data.
Do you share my personal data with third parties?
Please erase my profile and all stored data.
Where are the data of your customers stored, in the EU?
I object to the use of my data for advertising.
Who is your data protection officer?
I need the data processing agreement for our records.
Correct my date of birth in the personal data you hold.
How long do you keep my personal data after I leave?""", """
I request that all data stored about {mail} be erased.
With whom is my personal data shared? I want a copy under the GDPR.
Please tell your data protection officer that I withdraw my consent.
What personal data about me do you hold, and where is it stored?"""),
    "sales": subject("ticket mail", "sales; quote; sales inquiry; pricing; offer request; purchase",
        "somebody wants to buy and asks for prices", """
Please send us a quote for {n} licences.
What does {Product} cost for a company with {n} employees?
We are interested in buying {Product}, who can we talk to?
Do you offer a discount for schools?
Could you make us an offer for {n} units?
We would like a demo of {Product} for our managers before we buy.
What is the price of the enterprise plan?
Is there a volume discount from {n} units?
We plan to purchase {n} devices, please send your price list.
I would like to talk to a sales person about {Product}.
Please prepare an offer for our office in {City}.
How much is the yearly plan compared to the monthly plan?""", """
Could we have a price list and an offer for {n} licences?
Our company wants to buy {Product}, please send a quote.
Is there a discount if we purchase {n} units? What is the price?
Before we buy, can a sales person give us a demo?"""),
    "job": subject("mail", "job application; application; recruiting; careers; hr; hiring",
        "somebody applies for a job", """
I apply for the position of {Product} engineer, my CV is attached.
Please find attached my application for the job in {City}.
Is the job as a driver in {City} still open?
I have {n} years of experience and would like to work for you.
Attached you find my resume and references.
I saw your vacancy and would like to apply.
Do you offer internships for students?
When can I expect an answer to my job application?
I am looking for a new position as an accountant, here is my CV.
Thank you for the job interview on {day}.
My salary expectation for the position is {money}.
I would like to apply as a trainee in your company.""", """
Attached is my CV, I apply for the vacancy in {City}.
Is the position still open? I have {n} years of experience.
Here is my resume for the internship in {City}.
I would like to know about the status of my application after the interview."""),
    "meeting": subject("mail", "meeting; appointment; calendar; scheduling; invitation to meeting",
        "about finding or moving a date to meet", """
Can we meet on {day} at {n} o'clock to discuss the plan?
The meeting with {name} is moved to {day}.
Are you free on {day} afternoon for a short call?
Please find the agenda for our meeting on {day}.
I have to reschedule our appointment to {date}.
The weekly team meeting takes place in room {n}.
Shall we have a call with {name} on {day} morning?
{name} invites you to a meeting on {date}.
Our appointment on {day} has to be postponed.
Which time suits you for a call next week?
Please accept the calendar invitation for {day}.
I cannot attend the meeting on {day}, can we move it?""", """
Would {day} suit you for our meeting with {name}?
Our call has to be moved, are you free on {date}?
The agenda for the appointment in room {n} is in the calendar.
Let us postpone the team meeting to {day} morning."""),
    "newsletter": subject("mail", "newsletter; marketing; promotion; advertising; promotions",
        "news and offers sent to many", """
This week in our newsletter: {n} tips for your garden.
Our summer sale starts on {day}: up to {n} percent off!
Discover our new collection, only this weekend.
You receive this newsletter because you subscribed. Unsubscribe here.
{Product} news: what is new this month.
Save {n} percent with the code {Product} in our shop.
Top stories of the week, picked by our editors.
Last chance: the big {Product} sale ends on {day}!
New in our shop: the {Product} collection.
Read our monthly digest with {n} articles for you.
Exclusive offer for our subscribers: free shipping on {day}.
Black Friday deals at {Product}: everything {n} percent off.""", """
Subscribers save {n} percent this weekend in our shop!
The monthly {Product} newsletter: top stories and tips.
Our big sale ends on {day}. Unsubscribe at any time.
Discover this week's deals and the new {Product} collection."""),
    "spam": subject("mail", "spam; scam; phishing; fraud; junk",
        "a fraudulent mail", """
Congratulations, you have won {money} in our lottery! Click here.
Your bank account will be suspended, verify your details here now.
I am a prince and need your help to transfer {n} million dollars.
Dear winner, claim your prize of {money} today.
Earn {money} a day from home without any work!
We detected a virus on your computer, call this number immediately.
Urgent: confirm your bank details or lose your money.
Cheap pills without prescription, order now.
You inherited {n} million dollars from a distant uncle.
Make money fast with this secret crypto trick.
Your mailbox is full, click this link and enter your bank password.
Hot singles near you are waiting, click here.""", """
Dear lucky winner, click here to claim {n} million dollars.
Verify your bank details now or your account will be suspended!
A secret trick to earn {money} fast from home.
You have won a prize in the lottery, send us your bank details."""),
    "travel": subject("mail", "travel; trip; booking; travel booking; business trip; reservation",
        "flights, trains, hotels", """
Your flight to {City} on {date} is confirmed.
Please book a hotel in {City} for {n} nights.
The train to {City} leaves at {n} past nine.
Your hotel reservation {id} in {City} has been confirmed.
Check in for your flight {id} to {City} is now open.
I need a rental car at the airport in {City}.
Your boarding pass for the flight to {City} is attached.
The gate of your flight {id} has changed.
Can you find me a cheap flight from {City} to {City}?
Your itinerary: arrival in {City} on {day}, hotel for {n} nights.
My train ticket to {City} is for the wrong day.
We look forward to your stay at the {Product} hotel.""", """
Booking {id}: your flight from {City} to {City} is confirmed.
For the trip to {City} I need a hotel and a rental car.
Here is the train ticket for your arrival in {City} on {day}.
The airport in {City} has changed the gate of flight {id}."""),
    "leave": subject("mail", "leave request; vacation; absence; time off; sick leave; holidays",
        "an employee will be away", """
I would like to take vacation from {day} to {day}.
I am ill today and stay at home.
Please approve my leave request for {n} days in July.
I have a fever and will not come to work until {day}.
I am on holiday until {date} and will answer after that.
May I take {day} off? My child is sick.
The doctor says I have to stay in bed for {n} days, the sick note follows.
I request {n} days of parental leave.
My remaining vacation is {n} days, I want to take them in May.
I am out of the office until {date}, in urgent cases ask {name}.
Sorry, I am sick and cannot work today.
I want to take a week off in August, is that approved?""", """
Could you approve {n} days of vacation for me in May?
I am sick and will stay at home until {day}.
Please note that I am on holiday and out of the office until {date}.
I would like to take {day} off."""),
    "legal": subject("mail", "legal; contract; legal matter; lawyer; contracts",
        "contracts, law and lawyers", """
Please sign the attached contract and return it to us.
Our lawyer has comments on clause {n} of the agreement.
This is a formal notice concerning the breach of contract {id}.
The non-disclosure agreement has to be signed by {name}.
We will take the case to court.
Attached is the draft of the licence agreement with {name}.
The court hearing in the case {id} is on {date}.
Clause {n} on liability must be changed before we sign.
Our attorney will contact you about the trademark.
The signed agreement is attached, with clause {n} removed.
We claim damages for the breach of our agreement.
Please let the lawyers check the terms of the contract.""", """
Clause {n} of the contract is not acceptable, says our lawyer.
The agreement with {name} must be signed before the court hearing.
Our attorney has drafted the attached non-disclosure agreement.
Notice of breach: we go to court over contract {id}."""),
    "event": subject("mail", "event; party; event invitation; celebration; social",
        "invitations to parties and celebrations", """
You are invited to our summer party on {day}.
Join us for drinks to celebrate the birthday of {name}.
The concert in {City} starts at {n} past eight, tickets at the door.
We celebrate {n} years of {Product}, come and dance with us!
Save the date: our wedding is on {date}.
The christmas party takes place in {City}, bring your family.
Come to our barbecue on {day}, food and music included.
Opening of the exhibition in {City}, wine and snacks will be served.
{name} turns {n}, let us throw a party.
Please tell us by {day} if you come to the party and how many guests you bring.
The festival in {City} has {n} bands and free entry.
Our farewell dinner for {name} is on {day}.""", """
Save the date: {name} celebrates a birthday in {City}, with music.
Come to the party on {day}, drinks and food are free.
We invite you and your guests to the festival in {City}.
Dinner and dance for the wedding of {name} on {date}."""),
    "howto": subject("ticket", "how-to; question; usage question; help; instructions",
        "asks how to use something that works", """
How do I set up {Product} on a new computer?
Where can I find the manual for {Product}?
Can you explain how to connect {Product} to the printer?
What is the right way to import my contacts?
I do not understand how the filter works, is there a guide?
Could you tell me the steps to install {Product}?
Where do I find the settings for the language?
Is there a tutorial for beginners?
How can I print a list with {Product}?
Which menu do I use to change the font?
Please explain step by step how to make a backup copy on a stick.
I am new to {Product}, how do I begin?""", """
Is there a guide that explains how to set up {Product}?
Which steps do I follow to import contacts?
I am new here, where can I find the menu for the printer?
Can you explain how to install {Product}? I need a manual."""),
    "disk": subject("log alert", "disk; disk space; storage; disk full; storage problem",
        "a disk is full or failing", """
No space left on device /dev/sd{n}
Disk usage on /var is {pct}
filesystem /data is almost full, {pct} used
write failed: disk full
only {n} MB free on volume {file}
Partition /home has reached {pct} of its capacity
I/O error on disk sd{n}, sector {id}
SMART: drive {id} reports {n} bad sectors
volume {file} is out of space
RAID array degraded: disk {n} failed
inodes exhausted on /tmp, {pct} used
quota of storage volume {file} exceeded""", """
/var/{file} is full: {pct} of the disk used, no space left
drive sd{n} has {n} bad sectors, replace the disk
free space on partition /{file} below {n} MB
could not write {file}: volume is full"""),
    "memory": subject("log alert", "memory; out of memory; ram; memory pressure; oom",
        "memory runs out", """
Out of memory: killed process {id} ({service})
memory usage is {pct}
Java heap space: OutOfMemoryError in {service}
swap usage above {pct}, system is thrashing
{service} was killed by the OOM killer
cannot allocate {id} bytes of memory
RAM usage of {service} grows, possible memory leak
available memory dropped to {n} MB
malloc failed in {service}, heap exhausted
container {service} exceeded its memory limit and was killed
memory leak suspected: {service} uses {pct} of RAM
page allocation failure, swap is full""", """
OOM killer stopped {service}: RAM exhausted
{service} failed to allocate memory, heap at {pct}
swap {pct} in use, only {n} MB of RAM available
killed process {id}: memory limit exceeded"""),
    "network": subject("log alert", "network; connectivity; network problem; connection; network error",
        "connections fail, packets get lost", """
connection to {ip} timed out
network unreachable: {ip}
packet loss to {ip} is {n} percent
link eth{n} is down
Connection refused by {ip} port {id}
no route to host {ip}
VPN tunnel to {City} was interrupted
interface eth{n} flapping, {n} link changes
DNS lookup of {host} failed
ping to gateway {ip} fails
connection reset by peer {ip}
switch {host} lost its uplink""", """
eth{n}: link down, gateway {ip} unreachable
{n} percent packet loss on the uplink to {ip}
timed out after {n} s while connecting to {ip}, no route
DNS cannot resolve {host}, connection refused"""),
    "auth": subject("log alert", "authentication; security; intrusion; unauthorized access; security incident",
        "somebody tries to get in", """
Failed password for root from {ip} port {id}
{n} failed logins for user {file} from {ip}
brute force attack from {ip} detected
invalid user {file} tried ssh from {ip}
authentication failure for {file}, address {ip} blocked
unauthorized access to /admin from {ip}
port scan from {ip} detected
malware found in {file}.exe, quarantined
sudo: user {file} is not in the sudoers file, this incident will be reported
intrusion detection: suspicious request from {ip}
firewall blocked {n} attack attempts from {ip}
ssh: too many authentication failures from {ip}""", """
ssh brute force: {n} failed passwords from {ip}
suspicious access to {file} by unauthorized user {file}, blocked
attack detected by the firewall, source {ip}
authentication failure: invalid user {file} from {ip}"""),
    "certificate": subject("log alert", "certificate; tls; ssl certificate; certificates; tls error",
        "certificates expire or are not trusted", """
TLS certificate for {host} expires in {n} days
x509: certificate signed by unknown authority
SSL handshake failed: certificate expired
certificate of {host} is not trusted
renewal of the certificate for {host} failed
the certificate chain of {host} is incomplete
self signed certificate in chain from {ip}
certificate {id} was revoked by the issuer
TLS handshake error: bad certificate
hostname does not match the certificate of {host}
Let's Encrypt could not renew the certificate of {host}
SSL certificate expired {n} days ago""", """
x509: the certificate of {host} has expired
TLS handshake with {ip} failed, unknown certificate authority
in {n} days the SSL certificate of {host} must be renewed
issuer of certificate {id} is not trusted"""),
    "database": subject("log alert", "database; db; database error; sql; database problem",
        "a database fails or is slow", """
ERROR: deadlock detected in table {file}
slow query took {id} ms: SELECT from {file}
replication lag of the database is {n} s
too many connections to postgres
duplicate key violates unique constraint on table {file}
relation {file} does not exist
MySQL server has gone away
SQL syntax error near {file}
transaction rolled back: lock wait on table {file}
the replica of database {file} is behind by {n} s
index on table {file} is corrupt
cannot connect to postgres database {file}""", """
query on table {file} waits for a lock, deadlock suspected
postgres: transaction {id} rolled back
SQL error: column {file} does not exist in relation {file}
the MySQL replica lags by {n} s"""),
    "permission": subject("log", "permissions; permission denied; access rights; file permissions",
        "a program may not read or write a file", """
permission denied: /etc/{file}.conf
cannot open /var/lib/{file}: permission denied
operation not permitted on {file}
{service} has no write permission for /srv/{file}
chmod of {file} failed: not owner
access rights of /home/{file} are too open
user {service} may not read /etc/{file}
EACCES: permission denied, open '/opt/{file}'
directory /srv/{file} is not writable by {service}
wrong owner of /run/{file}, should be root
mkdir /var/{file}: permission denied
read-only for group {service}: /etc/{file}""", """
open /srv/{file}.conf: permission denied for {service}
{service} may not write to /opt/{file}, wrong owner
operation not permitted: chmod /var/{file}
directory /etc/{file}: access rights do not allow writing"""),
    "config": subject("log", "configuration; config error; settings; misconfiguration",
        "a setting is wrong or missing", """
invalid configuration in {file}.toml line {n}
unknown option '{file}' in config file
missing required setting '{file}'
cannot parse {file}.yaml: unexpected indent in line {n}
environment variable {file} is not set
config key {file} has a wrong type, expected integer
{file}.conf:{n}: syntax error in configuration
deprecated option {file} ignored, see the manual
the value {id} for setting {file} is out of range
configuration file {file}.yaml not found, using defaults
unknown section [{file}] in {file}.ini
option '{file}' given twice in config""", """
{file}.toml:{n}: unknown config option {file}
setting '{file}' is missing in the configuration
value {id} of key {file} is invalid, expected integer, using defaults
syntax error in config file {file}.yaml line {n}"""),
    "backup": subject("log alert", "backup; backups; data backup; backup job",
        "backups that ran or did not", """
nightly backup of {host} completed in {n} minutes
backup of {host} failed
restore test of snapshot {id} passed
the last backup of {host} is {n} days old
snapshot {id} created
backup job {id} skipped, previous one still running
uploading archive {file}.tar.gz to the backup server
{n} old snapshots removed by retention policy
backup verification failed for archive {id}
incremental backup started
could not restore {file} from snapshot
backup agent on {host} did not report""", """
archive {file}.tar.gz: backup verification passed
backup job on {host} failed after {n} minutes
snapshot {id} removed, it is {n} days old
incremental backup of {host} completed"""),
    "deployment": subject("log alert", "deployment; release; rollout; deploy; deployments",
        "a new version goes live", """
deploying version {n}.{n} to production
rollout of release {n}.{n} finished
rollback to version {n}.{n} because health check failed
build {id} passed all tests and was deployed
release {n}.{n} is now live
canary of version {n}.{n} promoted
pipeline {id} failed in stage deploy
{name} started deployment {id} to staging
deployment {id} of {service} was rolled back
image {service}:{n}.{n} pushed and rolled out
new release of {service} deployed to {n} nodes
{service} upgraded from version {n}.{n} to {n}.{n}""", """
{service} {n}.{n} deployed to staging by pipeline {id}
release {n}.{n} rolled back, build {id} is bad
rollout to production finished: version {n}.{n} is live
canary deployment of {service}:{n}.{n} started"""),
    "cpu": subject("log alert", "cpu; cpu load; high load; processor; load",
        "processors have too much to do", """
CPU usage is {pct}
load average is {n}.{n} on {n} cores
process {service} uses {pct} of the CPU
CPU load above {pct} for {n} minutes
all {n} cores are busy
high load: run queue has {n} processes
processor throttled for {n} s, load too high
{service} is spinning, one core at {pct}
CPU steal time is {n} percent
load {n}.{n} exceeds the limit
CPU of {host} saturated
{n} processes wait for a core""", """
{service} keeps {n} cores busy, CPU at {pct}
high CPU load for {n} minutes, load average {n}.{n}
processor usage above {pct}
run queue too long: all cores saturated"""),
    "temperature": subject("log alert", "temperature; overheating; cooling; hardware temperature; heat",
        "something gets too hot", """
temperature of rack {n} is {n} degrees
fan {n} has stopped
CPU temperature above {n} C, throttling
overheating: sensor {id} reads {n} C
air conditioning in room {n} failed
GPU is at {n} degrees, fan at {pct}
thermal shutdown imminent
cooling unit {n} needs service
hot aisle is at {n} C
sensor {file} reports {n} degrees, too hot
fan speed of {host} dropped to {id} rpm
the server room is too warm, {n} degrees""", """
sensor {id}: {n} degrees in the server room, overheating
cooling failed, temperature rises to {n} C
fan {n} of the GPU runs at {id} rpm, too hot
thermal warning: rack {n} at {n} degrees"""),
    "outage": subject("alert", "outage; service down; downtime; unavailable; down",
        "a service cannot be reached at all", """
service {service} is down
{service} does not respond, {n} health checks failed
website {host} unavailable, HTTP {id}
{service} has been down for {n} minutes
no heartbeat from {host}
health check of {service} failed
503 service unavailable at {service}
{host} is not reachable, all services down
outage of {service} in region {City}
{service} crashed and did not come back
monitor: {service} DOWN
node {host} stopped responding""", """
{service} down since {n} minutes, no heartbeat
{n} health checks of {service} failed, service unavailable
outage: {host} stopped responding
{service} in region {City} returns 503"""),
    "latency": subject("alert", "latency; slow; performance; response time; slowness",
        "requests take too long", """
response time of {service} is {id} ms
p99 latency above {id} ms
requests to {service} are slow
average response time rose to {n} s
{service} takes {n} s to answer
latency of {service} exceeded its target for {n} minutes
page load time is {n} s
slow responses: {n} percent of requests over {id} ms
{service} responds {n} times slower than yesterday
p95 of {service} is at {id} ms
API latency is high in {City}
median response time doubled to {id} ms""", """
{service} is slow: p95 latency {id} ms
requests take {n} s, response time target exceeded
average latency of the API rose to {id} ms
{n} percent of responses are slower than {id} ms"""),
    "queue": subject("log alert", "queue; backlog; message queue; queue backlog; jobs waiting",
        "work piles up in a queue", """
queue {file} has {id} messages
backlog of {id} jobs in queue {file}
consumer lag on topic {file} is {id}
{id} messages waiting in {file}, no consumer
dead letter queue {file} received {n} messages
queue {file} grows by {n} messages a second
kafka topic {file}: consumer group behind by {id}
jobs wait {n} minutes in queue {file}
queue length {id} above limit
worker pool cannot keep up, {id} jobs pending
oldest message in {file} is {n} minutes old
mail queue holds {id} messages""", """
{id} jobs pending, the queue {file} is too long
consumers of topic {file} lag behind by {id} messages
backlog grows: oldest job waits for {n} minutes
dead letter queue holds {id} messages"""),
    "power": subject("alert", "power; ups; power failure; electricity; power supply",
        "electricity fails", """
UPS on battery, {n} minutes left
power supply {n} failed
mains power lost in {City}
voltage of phase {n} is out of range
UPS battery must be replaced
generator started, fuel for {n} hours
power restored after {n} minutes
PDU {id} lost one feed
battery at {n} percent, shutdown soon
power outage in building {n}
redundant power supply lost on {host}
electricity in rack {n} is off""", """
mains power lost, running on UPS battery for {n} minutes
power supply {n} of {host} failed, redundancy lost
voltage too low, generator started
battery of UPS {id} at {n} percent"""),
}

# Pairs of subjects that one message can fit both: never offered together.
CLASHES = [("billing", "refund"), ("complaint", "refund"), ("cancel", "legal"), ("howto", "feature"),
           ("disk", "permission"), ("outage", "network"), ("outage", "database"), ("disk", "backup"),
           ("cpu", "temperature"), ("outage", "latency"), ("spam", "newsletter"), ("billing", "sales"),
           ("login", "auth"), ("database", "latency"), ("delivery", "refund"), ("cancel", "newsletter"),
           ("network", "certificate"), ("deployment", "outage"), ("howto", "bug"), ("spam", "login")]

SEVERITY = {
    "critical": subject("log alert", "critical; emergency; severe; p1; high severity",
        "something is broken and needs hands now", """
FATAL: {service} crashed
{service} is down, all users are affected
data loss on {host}, immediate action required
panic: kernel stopped on {host}
production outage, nobody can work
emergency shutdown of {host}
{service} failed completely and does not restart
fatal error {id}: cannot continue
disaster: both replicas of {file} are lost
total failure of {service} in {City}
CRITICAL: {service} unreachable for {n} minutes
fire alarm in the server room""", """
{service} crashed, outage for all users
fatal: {host} lost its data, cannot continue
emergency: {service} does not restart, act immediately
total failure of both replicas"""),
    "warning": subject("log alert", "warning; warn; degraded; p2; medium severity",
        "not broken yet, but should be looked at", """
WARN: disk will be full in {n} days
{service} is slower than usual
retrying request, attempt {n}
deprecated option {file} will be removed soon
certificate expires in {n} days
usage of {file} approaches its limit
{service} runs with reduced performance
one of {n} replicas is lagging behind
temperature slightly above normal
unusual number of retries in {service}
warning: {file} is almost full
{service} recovered after {n} retries, please check""", """
{file} approaches its limit in {n} days
warn: {service} slightly slower, {n} retries
reduced performance of {service}, please check
one replica lagging, {service} still runs"""),
    "info": subject("log alert", "info; informational; normal; p4; no action",
        "all is well", """
INFO: {service} started
backup completed successfully
{n} requests served, all ok
{service} listening on port {id}
user {file} logged in
scheduled job {file} finished in {n} s
health check passed
configuration reloaded
update to version {n} installed successfully
connection established to {ip}
daily report sent
{service} stopped as planned""", """
info: scheduled update finished, all ok
{service} started and listening, health check passed
job {file} completed successfully in {n} s
user {file} logged in, connection established"""),
}

SENTIMENT = {
    "positive": subject("ticket mail", "positive; happy; good; satisfied",
        "a pleased writer", """
I love {Product}, it works perfectly.
Great service, thank you!
The best {Product} I ever had, wonderful.
Very happy with the fast delivery.
Excellent quality, I recommend it.
{name} was friendly and helpful.
Amazing, it exceeded my hopes.
Everything was perfect, five stars.
Beautiful design and easy to use.
I am delighted, well done.""", """
Wonderful quality and friendly service, I am happy.
{Product} is amazing, I recommend it.
Perfect and easy to use, well done!"""),
    "negative": subject("ticket mail", "negative; unhappy; bad; dissatisfied",
        "a displeased writer", """
I hate {Product}, it never works.
Terrible service, never again.
The worst {Product} I ever had, awful.
Very disappointed by the slow delivery.
Poor quality, I do not recommend it.
{name} was rude and did not help.
Horrible, a waste of money.
Everything went wrong, one star.
Ugly design and hard to use.
I am angry, it broke after {n} days.""", """
Awful quality and rude service, I am disappointed.
{Product} is horrible, a waste of money.
It broke after {n} days, terrible!"""),
    "neutral": subject("ticket mail", "neutral; mixed; factual; neither",
        "states facts only", """
The {Product} arrived on {day}.
It weighs {n} kilograms and is blue.
I ordered {n} pieces of {Product}.
The box contains a cable and a manual.
It is used in our office in {City}.
The shop opens at {n} on {day}.
{name} received the parcel on {date}.
The {Product} has {n} buttons.
This is the second order this year.
It is an average product, neither good nor bad.""", """
{n} pieces of {Product} arrived on {date}.
The parcel contains a manual and weighs {n} kilograms.
{name} ordered it for the office in {City}."""),
}

URGENCY = {
    "urgent": subject("ticket mail", "urgent; high priority; asap; immediate; now",
        "cannot wait", """
We need this today, please hurry!
Please call me back immediately.
This is urgent: our shop is closed until you fix it.
The deadline is in {n} minutes!
I need an answer right now.
Please treat this with the highest priority.
As soon as possible, please, our customers are waiting.
Everything stands still here, help us at once!
It must be done within the hour.
Drop everything else, this is an emergency.""", """
Hurry, please: the deadline is today!
Emergency here, call {name} back at once.
We need an answer within the hour, highest priority."""),
    "routine": subject("ticket mail", "routine; low priority; not urgent; can wait; later",
        "can wait", """
No hurry, whenever you have time.
This can wait until next month.
Just a small thing, not urgent at all.
Take your time with the answer.
If you find a moment some day, please look at {file}.
For your information only, nothing to do.
It is not important, but the logo has a wrong colour.
At your convenience, please update my address.
Any time next quarter is fine for us.
There is no deadline for this.""", """
Not important: whenever you find a moment, look at {file}.
Take your time, next month is fine.
A small thing that can wait, no deadline."""),
}

GRADES = [SEVERITY, SENTIMENT, URGENCY]
