import { randomUUID } from "node:crypto";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { type ControlState, createStandInApp, openControlState } from "#sandbox/kit/control.ts";
import { applyFaults } from "#sandbox/kit/faults.ts";
import { type Handle, type ListenOptions, type StandInEnv, serve } from "#sandbox/kit/serve.ts";
import { createSpec } from "#sandbox/kit/spec.ts";
import { isObject } from "#sandbox/kit/values.ts";
import { completeChat } from "./chat.ts";
import { OPENAI_SCENARIOS } from "./faults.ts";
import { generateImages, ImageLimiter } from "./images.ts";
import { readPinRequest } from "./keyword.ts";
import { ApiError, errorResponse, promptOf, requireKey } from "./requests.ts";
import { openAiSettings } from "./settings.ts";

export type OpenAiOptions = ListenOptions & {
  dataDir: string;
  /** Response time of a text, varied by a quarter per prompt. */
  textLatencyMs: number;
  /** Response time of an image, varied by a quarter per prompt; includes drawing it. */
  imageLatencyMs: number;
  /** The only accepted key. Without it any key is accepted. */
  apiKey?: string;
};

type Control = ControlState<ReturnType<typeof openAiSettings>>;

/** Starts the stand-in: `POST /v1/chat/completions` and `POST /v1/images/generations`; other calls are a 501. */
export function startOpenAi(options: OpenAiOptions): Promise<Handle> {
  const settings = openAiSettings(options.textLatencyMs, options.imageLatencyMs);
  const control = openControlState(options.dataDir, { scenarios: OPENAI_SCENARIOS, settings });
  return serve(createOpenAiApp(options.apiKey, control), options, control.close);
}

/** Calls since the start or the last reset. */
const NO_CALLS = { texts: 0, images: 0, textsRefused: 0, imagesRefused: 0 };

function createOpenAiApp(apiKey: string | undefined, control: Control): Hono<StandInEnv> {
  const spec = createSpec("openai");
  const limiter = new ImageLimiter(() => control.settings.values);
  const calls = { ...NO_CALLS };
  const counts = () => ({ ...calls, ...limiter.counts() });
  const reset = () => {
    Object.assign(calls, NO_CALLS);
    limiter.resetPeak();
  };
  const app = createStandInApp(control, { counts, reset });
  app.onError(errorResponse);
  app.notFound((c) => errorResponse(notSupported(c), c));
  app.post("/v1/chat/completions", countInto(calls, "texts"));
  app.post("/v1/images/generations", countInto(calls, "images"));
  app.use("/v1/*", addReplyHeaders());
  app.use("/v1/*", applyFaults(control.faults, labelsOf));
  app.use("/v1/*", requireKey(apiKey));
  app.post("/v1/chat/completions", (c) => completeChat(c, spec, control.settings.values));
  app.post("/v1/images/generations", (c) => generateImages(c, spec, limiter, control.settings.values));
  return app;
}

function countInto(calls: typeof NO_CALLS, kind: "texts" | "images"): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    await next();
    if (!c.env.outgoing.destroyed) calls[c.res.status < 400 ? kind : (`${kind}Refused` as const)] += 1;
  };
}

/** Adds the headers of every response: request id, duration, and a generous rate limit if none is set. */
function addReplyHeaders(): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    const startedAt = performance.now();
    await next();
    if (c.env.outgoing.headersSent || c.env.outgoing.destroyed) return;
    const { headers } = c.res;
    headers.set("x-request-id", `req_${randomUUID().replaceAll("-", "")}`);
    headers.set("openai-processing-ms", String(Math.round(performance.now() - startedAt)));
    if (headers.has("x-ratelimit-limit-requests")) return;
    headers.set("x-ratelimit-limit-requests", "10000");
    headers.set("x-ratelimit-remaining-requests", "9999");
    headers.set("x-ratelimit-reset-requests", "6ms");
  };
}

function notSupported(c: Context<StandInEnv>): ApiError {
  const message = `${c.req.method} ${c.req.path} is not supported by this stand-in.`;
  // As at the service, where a wrong base path is no server error.
  const status = c.req.path.startsWith("/v1/") ? 501 : 404;
  return new ApiError(status, { message, type: "invalid_request_error", param: null, code: "not_implemented" });
}

/** Labels that faults can match: the keyword in the prompt, the model, and the user's safety identifier. */
async function labelsOf(c: Context<StandInEnv>): Promise<Record<string, string>> {
  if (c.req.method !== "POST") return {};
  const body: unknown = await c.req.json().catch(() => undefined);
  if (!isObject(body)) return {};
  const prompt = promptOf(body);
  const user = body.safety_identifier ?? body.user;
  return {
    keyword: prompt === "" ? "" : readPinRequest(prompt).keyword,
    model: typeof body.model === "string" ? body.model : "",
    user: typeof user === "string" ? user : "",
  };
}
