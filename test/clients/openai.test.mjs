// SPDX-License-Identifier: MIT
// The real openai client against the gateway and a fake worker. Run by ctest:
//   node --test openai.test.mjs   with GATEWAY_HARNESS and FAKE_WORKER naming the programs
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';

let harness;
let slow;

// Starts a harness and waits until it names its address. It ends when its stdin is closed.
async function start(gatewayArgs, workerArgs) {
    const child = spawn(process.env.GATEWAY_HARNESS,
        [...gatewayArgs, '--', process.env.FAKE_WORKER, ...workerArgs], { stdio: ['pipe', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout })) {
        const [word, address] = line.split(' ');
        if (word === 'listening') return { child, url: `http://${address}` };
    }
    throw new Error('the harness ended before it listened');
}

before(async () => {
    harness = await start([], []);
    // A token takes 20 ms, and signs of life come every 20 ms after 10 ms.
    slow = await start(['--headers-after-ms', '10', '--heartbeat-ms', '20'], ['--token-us', '20000']);
});
after(() => {
    for (const one of [harness, slow]) one?.child.stdin.end();
});

const client = (options = {}) =>
    new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: 'hotdesk', maxRetries: 0, ...options });
const say = (content) => [{ role: 'user', content }];

async function failure(promise) {
    try {
        await promise;
    } catch (error) {
        return error;
    }
    return assert.fail('the call should have failed');
}

test('a whole answer names the model that gave it', async () => {
    const answer = await client().chat.completions.create({ model: 'gpt-4o-mini', messages: say('hello big world') });
    assert.equal(answer.choices[0].message.content, 'hello big world');
    assert.equal(answer.choices[0].finish_reason, 'stop');
    assert.equal(answer.model, 'fake');
    assert.deepEqual([answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens], [3, 3, 6]);
});

test('the response headers name the call and the model', async () => {
    const { response } = await client().chat.completions
        .create({ model: 'task:write', messages: say('hi') }).withResponse();
    assert.equal(response.headers.get('x-hotdesk-model'), 'fake');
    assert.match(response.headers.get('x-hotdesk-call'), /^[0-9]+$/);
});

test('a stream carries every token, the usage last', async () => {
    const stream = await client().chat.completions.create({
        model: 'fake', messages: say('say 50 words'), stream: true, stream_options: { include_usage: true } });
    let text = '';
    let usage = null;
    for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        usage = chunk.usage ?? usage;
    }
    assert.equal(text, [...Array(50).keys()].join(' '));
    assert.equal(usage.completion_tokens, 50);
});

test('parts of text are joined, "tools": [] is no tools, unknown fields are ignored', async () => {
    const answer = await client().chat.completions.create({
        model: 'fake', tools: [], made_up: { by: 'me' },
        messages: [{ role: 'user', content: [{ type: 'text', text: 'one ' }, { type: 'text', text: 'two' }] }] });
    assert.equal(answer.choices[0].message.content, 'one two');
});

const weather = [{ type: 'function', function: {
    name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } }];

test('a tool call comes whole', async () => {
    const answer = await client().chat.completions.create({ model: 'fake', messages: say('weather?'), tools: weather });
    const call = answer.choices[0].message.tool_calls[0];
    assert.equal(answer.choices[0].finish_reason, 'tool_calls');
    assert.equal(call.function.name, 'weather');
    assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Oslo' });
});

test("a streamed tool call is put together by the client's own helper", async () => {
    const runner = client().chat.completions.stream({ model: 'fake', messages: say('weather?'), tools: weather });
    const final = await runner.finalChatCompletion();
    assert.equal(final.choices[0].message.tool_calls[0].function.arguments, '{"city":"Oslo"}');
});

test('a JSON schema is passed to the worker', async () => {
    const answer = await client().chat.completions.create({
        model: 'fake', messages: say('what?'),
        response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: {
            type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] } } } });
    assert.deepEqual(JSON.parse(answer.choices[0].message.content), { answer: 'what?' });
});

test('completions, whole and streamed', async () => {
    const whole = await client().completions.create({ model: 'fake', prompt: 'a b' });
    assert.equal(whole.choices[0].text, 'a b');
    let text = '';
    for await (const chunk of await client().completions.create({ model: 'fake', prompt: 'a b', stream: true }))
        text += chunk.choices[0]?.text ?? '';
    assert.equal(text, 'a b');
});

test('embeddings, which the client asks for in base64', async () => {
    const answer = await client().embeddings.create({ model: 'fake', input: ['x', 'y'] });
    assert.deepEqual(answer.data.map((one) => one.embedding), [[0.5, -0.25, 1], [0.5, -0.25, 1]]);
});

test('models are listed with aliases and tasks', async () => {
    const names = [];
    for await (const model of client().models.list()) names.push(model.id);
    assert.deepEqual(names, ['fake', 'gpt-4o-mini', 'task:write']);
    assert.equal((await client().models.retrieve('fake')).id, 'fake');
});

test('an unknown model is NotFoundError and names the known ones', async () => {
    const error = await failure(client().chat.completions.create({ model: 'fakr', messages: say('x') }));
    assert.ok(error instanceof OpenAI.NotFoundError);
    assert.equal(error.code, 'model_not_found');
    assert.equal(error.param, 'model');
    assert.match(error.message, /did you mean "fake".*known: fake, gpt-4o-mini, task:write/);
});

test('a prompt over the context is BadRequestError with the numbers', async () => {
    for (const stream of [false, true]) {
        const error = await failure(client().chat.completions.create({ model: 'fake', messages: say('refuse'), stream }));
        assert.ok(error instanceof OpenAI.BadRequestError);
        assert.equal(error.code, 'context_length_exceeded');
        assert.deepEqual([error.error.prompt_tokens, error.error.context], [5000, 4096]);
    }
});

test('a wrong type is BadRequestError and names the parameter', async () => {
    const error = await failure(client().chat.completions.create({ model: 'fake', messages: [{ role: 'user', content: 3 }] }));
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.deepEqual([error.code, error.param], ['wrong_type', 'messages[0].content']);
});

test('an unknown key is AuthenticationError and says what to do', async () => {
    const error = await failure(client({ apiKey: 'stolen' }).chat.completions.create({ model: 'fake', messages: say('x') }));
    assert.ok(error instanceof OpenAI.AuthenticationError);
    assert.equal(error.code, 'unknown_key');
    assert.match(error.message, /OPENAI_API_KEY/);
});

test("a run's key lets it leave the model out", async () => {
    const answer = await client({ apiKey: 'run-key' }).chat.completions.create({ model: '', messages: say('x') });
    assert.equal(answer.model, 'fake');
});

test('a full queue is RateLimitError with a time to come back', async () => {
    const error = await failure(client().chat.completions.create({ model: 'refuse-queue_full', messages: say('x') }));
    assert.ok(error instanceof OpenAI.RateLimitError);
    assert.equal(error.code, 'queue_full');
    assert.equal(error.headers.get('retry-after-ms'), '5000');
});

test('what can never fit is 507 with the numbers, and is not tried again', async () => {
    const patient = client({ maxRetries: 2 });
    const error = await failure(patient.chat.completions.create({ model: 'refuse-cannot_fit', messages: say('x') }));
    assert.ok(error instanceof OpenAI.InternalServerError);
    assert.deepEqual([error.status, error.code, error.error.need, error.error.have],
        [507, 'cannot_fit', 7 * 2 ** 30, 5 * 2 ** 30]);
    assert.equal(error.headers.get('x-should-retry'), 'false');
});

test('a wait that took too long is 504 wait_timeout', async () => {
    const error = await failure(client().chat.completions.create({ model: 'refuse-wait_timeout', messages: say('x') }));
    assert.deepEqual([error.status, error.code], [504, 'wait_timeout']);
});

test('an aborted stream is cancelled, and the worker goes on with the next call', async () => {
    const mine = client({ baseURL: `${slow.url}/v1` });
    const stream = await mine.chat.completions.create({ model: 'fake', messages: say('say 1000000 words'), stream: true });
    for await (const chunk of stream) {
        if (chunk.choices[0].delta.content) stream.controller.abort();
    }
    const next = await mine.chat.completions.create({ model: 'fake', messages: say('next') });
    assert.equal(next.choices[0].message.content, 'next');
    let metrics = '';
    while (!metrics.includes('hotdesk_calls_total{model="fake",outcome="cancelled"} 1'))
        metrics = await (await fetch(`${slow.url}/metrics`)).text();
});

test('signs of life before and inside an answer do not disturb the client', async () => {
    const mine = client({ baseURL: `${slow.url}/v1` });
    const whole = await mine.chat.completions.create({ model: 'fake', messages: say('say 10 words') });
    assert.equal(whole.choices[0].message.content, '0 1 2 3 4 5 6 7 8 9');
    let text = '';
    for await (const chunk of await mine.chat.completions.create({ model: 'fake', messages: say('say 10 words'), stream: true }))
        text += chunk.choices[0]?.delta.content ?? '';
    assert.equal(text, '0 1 2 3 4 5 6 7 8 9');
});

test('twenty calls at once all get their own answer', async () => {
    const all = await Promise.all([...Array(20).keys()].map((i) =>
        client().chat.completions.create({ model: 'fake', messages: say(`number ${i}`) })));
    assert.deepEqual(all.map((one) => one.choices[0].message.content), [...Array(20).keys()].map((i) => `number ${i}`));
});
