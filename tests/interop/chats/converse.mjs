// The official JavaScript client of OpenAI. Each line of the input is a chat to ask for; what came
// of it is a line of the output.
import { createInterface } from "node:readline";
import OpenAI from "openai";

for await (const line of createInterface({ input: process.stdin })) {
  const { baseURL, apiKey, maxRetries, ...chat } = JSON.parse(line);
  let attempts = 0;
  const counted = (...request) => {
    attempts += 1;
    return fetch(...request);
  };
  const client = new OpenAI({ baseURL, apiKey, maxRetries, fetch: counted });
  const outcome = await talk(client, chat);
  console.log(JSON.stringify({ ...outcome, attempts }));
}

async function talk(client, { body, events, options, models }) {
  const received = [];
  try {
    if (models) return { models: (await client.models.list()).data };
    const answer = await client.chat.completions.create(body, options);
    if (!body.stream) return { answer };
    for await (const event of answer) {
      received.push(event);
      if (received.length === events) break; // the client leaves
    }
    return { events: received };
  } catch (error) {
    return { events: received, error: described(error) };
  }
}

function described(error) {
  const name = error.constructor.name;
  if (!(error instanceof OpenAI.APIError)) return { name, message: error.message };
  const header = (field) => error.headers?.get(field) ?? null;
  return {
    name,
    status: error.status ?? null,
    code: error.code,
    shouldRetry: header("x-should-retry"),
    retryAfter: header("retry-after"),
  };
}
