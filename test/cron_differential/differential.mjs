// SPDX-License-Identifier: MIT
// Compares our cron with two independent ones, croner and cron-parser, on random expressions, zones
// and start times. Half of the start times lie near a clock change of their zone.
//
//   node differential.mjs FIRINGS [--seed N] [--questions N]
//
// Away from clock changes all three must agree. At clock changes the two oracles differ from each
// other, so there the rule that doc/config.md states is checked by itself: croner lists the local
// times (in UTC, where no clock changes), this file maps them to instants as the rule says, and our
// answer must be exactly that. What the oracles do instead is counted and printed. Any difference
// that has no name below fails the test, with the question that shows it.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { Cron } from 'croner';
import { CronExpressionParser } from 'cron-parser';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, questions: { type: 'string', default: '1000' } },
});
const firingsBinary = positionals[0];
if (!firingsBinary) {
  console.error('usage: node differential.mjs FIRINGS [--seed N] [--questions N]');
  process.exit(64);
}

const HOUR = 3600_000;
const FIRINGS = 6;
const ZONES = [
  'UTC', 'Europe/Berlin', 'Europe/London', 'Europe/Dublin', 'America/New_York', 'America/Los_Angeles',
  'America/St_Johns', 'America/Sao_Paulo', 'Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Tokyo',
  'Australia/Sydney', 'Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Auckland', 'Pacific/Chatham',
];

// ---- random questions --------------------------------------------------------------------------

// mulberry32: small, and the same on every machine.
let state = Number(options.seed) >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const between = (low, high) => low + Math.floor(random() * (high - low + 1));
const pick = (list) => list[between(0, list.length - 1)];

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

function item({ low, high, names }) {
  const word = (value) => (names && random() < 0.3 ? names[value - low] : `${value}`);
  const from = between(low, high);
  const to = between(from, high);
  switch (between(0, 4)) {
    case 0: return `${word(from)}-${word(to)}`;
    case 1: return `${from}-${to}/${between(1, 5)}`;
    case 2: return `*/${between(1, Math.min(high, 30))}`;
    default: return word(from);
  }
}

function field(kind) {
  if (random() < kind.wild) return '*';
  return Array.from({ length: random() < 0.7 ? 1 : between(2, 3) }, () => item(kind)).join(',');
}

const FIELDS = [
  { low: 0, high: 59, wild: 0.2 },
  { low: 0, high: 23, wild: 0.4 },
  { low: 1, high: 31, wild: 0.7 },
  { low: 1, high: 12, names: MONTHS, wild: 0.8 },
  { low: 0, high: 6, names: DAYS, wild: 0.7 },
];

// Small hours, where clocks change.
const NIGHT = [FIELDS[0], { low: 0, high: 4, wild: 0.1 }, ...FIELDS.slice(2)];

const formats = new Map();
function offsetAt(zone, ms) {
  if (!formats.has(zone))
    formats.set(zone, new Intl.DateTimeFormat('en-US', {
      timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric',
      hour: 'numeric', minute: 'numeric', second: 'numeric',
    }));
  const part = Object.fromEntries(formats.get(zone).formatToParts(ms).map((p) => [p.type, Number(p.value)]));
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) - Math.floor(ms / 1000) * 1000;
}

function changesOf(zone) {
  const changes = [];
  const step = 7 * 24 * HOUR;
  for (let t = Date.UTC(2009, 0, 1); t < Date.UTC(2034, 0, 1); t += step) {
    if (offsetAt(zone, t) === offsetAt(zone, t + step)) continue;
    let [low, high] = [t, t + step];
    while (high - low > 1000) {
      const middle = (low + high) / 2;
      if (offsetAt(zone, middle) === offsetAt(zone, low)) low = middle; else high = middle;
    }
    changes.push({ at: Math.round(high / 60_000) * 60_000, delta: offsetAt(zone, t + step) - offsetAt(zone, t) });
  }
  return changes;
}

const changes = new Map(ZONES.map((zone) => [zone, changesOf(zone)]));

function question() {
  const zone = pick(ZONES);
  const nearChange = random() < 0.5 && changes.get(zone).length > 0;
  const after = nearChange
    ? pick(changes.get(zone)).at - between(0, 30) * HOUR - between(0, 59) * 60_000
    : Date.UTC(2010, 0, 1) + Math.floor(random() * 23 * 365 * 24 * HOUR);
  const expression = (nearChange ? NIGHT : FIELDS).map(field).join(' ');
  return { expression, zone, after };
}

// ---- three answers -----------------------------------------------------------------------------

function askOurs(questions) {
  const lines = questions.map((q) => `${q.expression}\t${q.zone}\t${q.after}\t${FIRINGS}\n`).join('');
  const run = spawnSync(firingsBinary, { input: lines, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(`${firingsBinary} ended with ${run.status ?? run.error ?? run.signal}`);
  return run.stdout.trimEnd().split('\n').map((line) => {
    if (line.startsWith('error: ')) return { refused: line };
    return { firings: line === '' ? [] : line.split(' ').map(Number) };
  });
}

function askCroner({ expression, zone, after }, domAndDow) {
  try {
    const cron = new Cron(expression, { timezone: zone, paused: true, domAndDow });
    return { firings: cron.nextRuns(FIRINGS, new Date(after)).map((date) => date.getTime()) };
  } catch (error) {
    return { refused: error.message };
  }
}

function askParser({ expression, zone, after }) {
  const firings = [];
  let gaveUp = false;
  try {
    const iterator = CronExpressionParser.parse(expression, { currentDate: new Date(after), tz: zone });
    while (firings.length < FIRINGS) firings.push(iterator.next().toDate().getTime());
  } catch (error) {
    // It gives up on firings that are years away; what it found until then still counts.
    if (!/loop limit/i.test(error.message)) return { refused: error.message };
    gaveUp = true;
  }
  return { firings, gaveUp };
}

// ---- the rule at clock changes -----------------------------------------------------------------

// The instants at which the clock of `zone` shows `local` (milliseconds as if in UTC): 0, 1 or 2.
function instantsOf(zone, local) {
  const offsets = new Set([offsetAt(zone, local - 36 * HOUR), offsetAt(zone, local), offsetAt(zone, local + 36 * HOUR)]);
  return [...offsets].map((offset) => local - offset).filter((t) => t + offsetAt(zone, t) === local).sort((a, b) => a - b);
}

// Starred hour: as often as the clock shows the time. Fixed hour: once, the first time; a time that
// does not exist runs at the end of its gap, unless the gap is a whole day.
function firingsOf(zone, local, starred) {
  const instants = instantsOf(zone, local);
  if (starred) return instants;
  if (instants.length > 0) return [instants[0]];
  return changes.get(zone)
    .filter(({ at, delta }) => delta < 24 * HOUR && local < at + offsetAt(zone, at) && local >= at + offsetAt(zone, at) - delta)
    .map(({ at }) => at);
}

function byTheRule({ expression, zone, after }, demandBoth) {
  const starred = expression.split(' ')[1].startsWith('*');
  const cron = new Cron(expression, { timezone: 'UTC', paused: true, domAndDow: demandBoth });
  const found = new Set();
  // A clock set back shows up to three hours again: begin that much earlier, end that much later.
  let local = after + offsetAt(zone, after) - 3 * HOUR;
  for (let beyond = 0; beyond < 3 * HOUR; ) {
    const next = cron.nextRun(new Date(local));
    if (next === null) break;
    if (found.size >= FIRINGS) beyond += next.getTime() - local;
    local = next.getTime();
    for (const firing of firingsOf(zone, local, starred)) if (firing > after) found.add(firing);
  }
  return [...found].sort((a, b) => a - b).slice(0, FIRINGS);
}

// ---- comparison --------------------------------------------------------------------------------

const FAR = 4 * 365 * 24 * HOUR;

// The firings that only one of the two lists has, as far as both reach.
function differences(ours, theirs, after) {
  const end = Math.min(ours.at(-1) ?? after + FAR, theirs.at(-1) ?? after + FAR);
  const [a, b] = [new Set(ours), new Set(theirs)];
  return [...ours.filter((t) => !b.has(t)), ...theirs.filter((t) => !a.has(t))].filter((t) => t <= end);
}

// cron-parser moves firings by a whole hour and not by the gap, and so errs an hour further out.
const changeNear = (name, zone, firing) =>
  changes.get(zone).find(({ at, delta }) => Math.abs(firing - at) <= Math.abs(delta) + (name === 'croner' ? 0 : HOUR));

const known = new Map();
function note(kind, example) {
  const entry = known.get(kind) ?? { count: 0, example };
  entry.count += 1;
  known.set(kind, entry);
}

const show = (answer) =>
  answer.refused ?? answer.firings.map((t) => new Date(t).toISOString().slice(0, 16)).join(' ');
const say = (q, ours, name, theirs) =>
  `"${q.expression}" ${q.zone} after ${new Date(q.after).toISOString()}\n` +
  `    ours        ${show(ours)}\n    ${name.padEnd(11)} ${show(theirs)}`;

// Why a refusal of one side only is no failure, or undefined.
function knownRefusal(ours, theirs) {
  if (ours.refused && theirs.refused) return 'refused by both';
  if (/never fires/.test(ours.refused) && theirs.firings?.length === 0) return 'never fires: refused, croner finds none';
  if (/duplicate values/.test(theirs.refused)) return 'a list that names a value twice: cron-parser refuses it';
  if (/-0|-sun/.test(ours.expression) && /Invalid range/.test(theirs.refused)) return '"fri-sun": cron-parser refuses it';
  return undefined;
}

// What all three must refuse.
const REFUSED = [
  '60 * * * *', '* 24 * * *', '* * 0 * *', '* * 32 * *', '* * * 13 *', '* * * * 8', '*/0 * * * *', '5-3 * * * *',
  'x * * * *', '1,, * * * *', '* * * * fri-mon', '* * * foo *', '1- * * * *', '-1 * * * *', '@often',
];

const failures = [];

function compareWith(q, ours, name, theirs) {
  const text = say(q, ours, name, theirs);
  if (ours.refused || theirs.refused) {
    const kind = knownRefusal({ ...ours, expression: q.expression }, theirs);
    if (kind) note(kind, text); else failures.push(text);
    return;
  }
  if (theirs.gaveUp && q.zone === 'Australia/Lord_Howe') {
    note('half an hour of summer time: cron-parser gives up', text);
    return;
  }
  for (const change of new Set(differences(ours.firings, theirs.firings, q.after).map((t) => changeNear(name, q.zone, t)))) {
    if (!change) failures.push(text);
    else note(`clock ${change.delta > 0 ? 'forward' : 'back'}, ${q.expression.split(' ')[1].startsWith('*') ? 'starred' : 'fixed'} hour: ${name} differs`, text);
  }
}

// Vixie cron: a day field that begins with a star restricts nothing, so both must match. The oracles
// look for a lone star; croner can be told to demand both, cron-parser cannot.
function demandsBoth(expression) {
  const [, , day, , weekday] = expression.split(' ');
  const starStep = (text) => text.startsWith('*') && text !== '*';
  return (starStep(day) && weekday !== '*') || (starStep(weekday) && day !== '*');
}

let checkedByRule = 0;

function compare(q, ours) {
  if (/(0|sun)-sun/.test(q.expression)) {
    note('"sun-sun": croner takes the whole week', q.expression);
    return;
  }
  const both = demandsBoth(q.expression);
  compareWith(q, ours, 'croner', askCroner(q, both));
  if (both) note('a day field */n beside another: Vixie rule, croner is told to demand both', q.expression);
  else compareWith(q, ours, 'cron-parser', askParser(q));

  if (ours.refused) return;
  const last = ours.firings.at(-1) ?? q.after;
  if (!changes.get(q.zone).some(({ at }) => at > q.after - 26 * HOUR && at < last + 26 * HOUR)) return;
  checkedByRule += 1;
  const rule = { firings: byTheRule(q, both) };
  // Ours stops after five years; croner goes on.
  if (differences(ours.firings, rule.firings, q.after).length > 0) failures.push(say(q, ours, 'the rule', rule));
}

const questions = Array.from({ length: Number(options.questions) }, question);
const answers = askOurs(questions);
questions.forEach((q, i) => compare(q, answers[i]));
const wrong = REFUSED.map((expression) => ({ expression, zone: 'UTC', after: 0 }));
askOurs(wrong).forEach((ours, i) => {
  const all = { ours, croner: askCroner(wrong[i], false), 'cron-parser': askParser(wrong[i]) };
  for (const [name, { refused }] of Object.entries(all))
    if (!refused) failures.push(`"${wrong[i].expression}" is accepted by ${name}`);
});

console.log(`${questions.length} questions (seed ${options.seed}), ${checkedByRule} across a clock change, ${failures.length} failures`);
if (checkedByRule < questions.length / 4) failures.push('too few questions cross a clock change');
for (const [kind, { count, example }] of [...known].sort()) console.log(`known: ${count} x ${kind}\n  for example ${example}`);
for (const failure of failures.slice(0, 10)) console.log(`FAILED ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);
