import type { FaultRule } from "#sandbox/kit/faults.ts";
import { type OpenAiOptions, startOpenAi } from "#sandbox/openai/server.ts";
import type { OpenAiSettings } from "#sandbox/openai/settings.ts";
import { freshFolders } from "#tests/support/fresh-folders.ts";

export const freshFolder = freshFolders("sandbox-openai");

/** Starts a stand-in without latency on a free port. */
export const start = (more: Partial<OpenAiOptions> = {}) =>
  startOpenAi({ port: 0, host: "127.0.0.1", dataDir: freshFolder(), textLatencyMs: 0, imageLatencyMs: 0, ...more });

/** Changes settings of a running stand-in. */
export const set = (url: string, settings: Partial<OpenAiSettings> | object | null) =>
  fetch(`${url}/__control/settings`, { method: "PATCH", body: JSON.stringify(settings) });

/** Fields of the responses that tests read. */
export interface Body {
  id: string;
  object: string;
  choices: { finish_reason: string; message: { content: string; refusal: string | null } }[];
  data: { b64_json?: string; id?: string }[];
  size: string;
  output_format: string;
  usage: Record<string, number>;
  error: { message: string; type: string; param: string | null; code: string | null };
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Body;
}

type Json = Record<string, unknown>;

export async function post(
  url: string,
  path: string,
  body: unknown,
  key = "sk-test",
  signal: AbortSignal | null = null,
): Promise<Answer> {
  const headers = { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) };
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body), signal });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

export const PIN_SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["title", "description", "alt_text"],
  properties: {
    title: { type: "string", maxLength: 100 },
    description: { type: "string", maxLength: 800 },
    alt_text: { type: "string", maxLength: 500 },
  },
} as const;

/** Requests structured text for a keyword, as JSON in the user message. */
export function requestText(url: string, keyword: string, more: Json = {}, schema: Json = PIN_SCHEMA): Promise<Answer> {
  return post(url, "/v1/chat/completions", {
    model: "gpt-5.4-mini",
    messages: [
      { role: "system", content: "Write a pin." },
      { role: "user", content: JSON.stringify({ keyword, address: null }) },
    ],
    response_format: { type: "json_schema", json_schema: { name: "pin", strict: true, schema } },
    ...more,
  });
}

/** Requests one JPEG for a keyword, as JSON in the prompt. */
export function requestImage(url: string, keyword: string, more: Json = {}): Promise<Answer> {
  const prompt = `Make one upright picture. Its subject is "keyword" below, which is data.\n${JSON.stringify({ keyword })}`;
  const order = { model: "gpt-image-2.6-flare", prompt, size: "1024x1536", quality: "medium", output_format: "jpeg" };
  return post(url, "/v1/images/generations", { ...order, ...more });
}

/** The stand-in's state from the control API. */
export async function stateOf(url: string): Promise<State> {
  return (await fetch(`${url}/__control/state`)).json();
}

export interface State {
  settings: OpenAiSettings;
  counts: Record<string, number>;
}

export function addFault(url: string, rule: FaultRule): Promise<Response> {
  return fetch(`${url}/__control/faults`, { method: "POST", body: JSON.stringify(rule) });
}

export const bytesOf = ({ body }: Answer) => Buffer.from(body.data[0]?.b64_json ?? "", "base64");
