import { join } from "node:path";
import type { Context, Hono } from "hono";
import { applyFaults } from "#sandbox/kit/apply-faults.ts";
import { controlRoutes, openControlState } from "#sandbox/kit/control.ts";
import type { Faults } from "#sandbox/kit/faults.ts";
import { logRequests, type RequestLog } from "#sandbox/kit/journal.ts";
import { createApp, type Handle, type ListenOptions, type StandInEnv, serve } from "#sandbox/kit/serve.ts";
import { createSpec } from "#sandbox/kit/spec.ts";
import { completeChat } from "./chat.ts";
import { bookCalls, type CallKind, createCallBook, openAiControl } from "./control.ts";
import { PLACED_SCENARIOS } from "./faults.ts";
import { generateImages, PictureGate } from "./images.ts";
import { readPinRequest } from "./keyword.ts";
import { addReplyHeaders } from "./reply-headers.ts";
import { ApiError, answerError, isJsonObject, promptOf, requireKey } from "./requests.ts";
import type { Latency } from "./seed.ts";
import { changeSettings, holdSettings, type OpenAiSettings, USUAL_SETTINGS } from "./settings.ts";
import { openUsageBook, type UsageBook, type UsageTotals } from "./usage.ts";

export type OpenAiOptions = ListenOptions & {
  /** Folder for the usage journal; created when absent. */
  dataDir: string;
  /** How long a text takes, give or take a quarter by prompt. */
  textLatencyMs: number;
  /** How long a picture takes, give or take a quarter by prompt; drawing counts towards it. */
  imageLatencyMs: number;
  /** The only key accepted; without it any non-empty key is. */
  apiKey?: string;
  /** Further settings to begin with; `POST /__control/settings` changes them, a reset brings these back. */
  settings?: Partial<OpenAiSettings>;
};

/** A running OpenAI stand-in. `usage` counts everything answered since its data began. */
export interface OpenAiHandle extends Handle {
  usage(): UsageTotals;
}

/**
 * Starts the stand-in: `POST /v1/chat/completions`, `POST /v1/images/generations` (501 for any other call), and
 * `/__control` with faults (see `scenarios.ts`; `where` knows `keyword`, `model` and `user`), log, reset, and what
 * `control.ts` adds.
 */
export async function startOpenAi(options: OpenAiOptions): Promise<OpenAiHandle> {
  const usage = openUsageBook(join(options.dataDir, "openai.jsonl"));
  const control = openControlState(options.dataDir, { scenarios: PLACED_SCENARIOS, settings: {} });
  const handle = await serve(createOpenAiApp(options, control, usage), options);
  const close = async () => {
    await handle.close();
    usage.close();
    control.close();
  };
  return { ...handle, usage: usage.totals, close, [Symbol.asyncDispose]: close };
}

function createOpenAiApp(
  options: OpenAiOptions,
  { faults, log }: { faults: Faults; log: RequestLog },
  usage: UsageBook,
): Hono<StandInEnv> {
  const spec = createSpec("openai");
  const calls = createCallBook();
  const settings = holdSettings(initialSettings(options));
  const gate = new PictureGate(settings.read);
  const reset = () => {
    usage.clear();
    calls.clear();
    settings.reset();
  };
  const text = () => ({ spec, usage, latency: latencyFor("text", settings.read()) });
  const image = () => {
    const now = settings.read();
    return { spec, usage, gate, latency: latencyFor("image", now), isBlank: now.blankPictures };
  };
  const app = createApp();
  app.onError(answerError);
  app.notFound((c) => answerError(unknownAddress(c), c));
  app.use("*", logRequests(log));
  app.route("/__control", openAiControl({ settings, calls, gate, usage }));
  app.route("/__control", controlRoutes({ faults, log, reset }));
  app.post("/v1/chat/completions", bookCalls(calls, "text"));
  app.post("/v1/images/generations", bookCalls(calls, "image"));
  app.use("/v1/*", addReplyHeaders());
  app.use("/v1/*", applyFaults(faults, labelsOf));
  app.use("/v1/*", requireKey(options.apiKey));
  app.post("/v1/chat/completions", (c) => completeChat(c, text()));
  app.post("/v1/images/generations", (c) => generateImages(c, image()));
  app.all("/v1/*", (c) => {
    throw notPlayed(c);
  });
  return app;
}

function initialSettings({ textLatencyMs, imageLatencyMs, settings = {} }: OpenAiOptions): OpenAiSettings {
  return changeSettings({ ...USUAL_SETTINGS, textLatencyMs, imageLatencyMs }, settings);
}

function latencyFor(kind: CallKind, settings: OpenAiSettings): Latency {
  const ms = kind === "text" ? settings.textLatencyMs : settings.imageLatencyMs;
  return { ms, spread: settings.latencySpread };
}

function unknownAddress(c: Context<StandInEnv>): ApiError {
  const message = `Invalid URL (${c.req.method} ${c.req.path})`;
  return new ApiError(404, { message, type: "invalid_request_error", param: null, code: null });
}

/** A call of the official API that the product does not make. */
function notPlayed(c: Context<StandInEnv>): ApiError {
  const message = `${c.req.method} ${c.req.path} is not part of this stand-in.`;
  return new ApiError(501, { message, type: "invalid_request_error", param: null, code: "not_implemented" });
}

/** What a fault may select on: the keyword in the prompt, the model, and the user's safety identifier. */
async function labelsOf(c: Context<StandInEnv>): Promise<Record<string, string>> {
  if (c.req.method !== "POST") return {};
  const body: unknown = await c.req.json().catch(() => undefined);
  if (!isJsonObject(body)) return {};
  const prompt = promptOf(body);
  const user = body.safety_identifier ?? body.user;
  return {
    keyword: prompt === "" ? "" : readPinRequest(prompt).keyword,
    model: typeof body.model === "string" ? body.model : "",
    user: typeof user === "string" ? user : "",
  };
}
