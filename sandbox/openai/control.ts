import type { Context, Hono, MiddlewareHandler } from "hono";
import { createApp, type StandInEnv } from "#sandbox/kit/serve.ts";
import type { PictureGate } from "./images.ts";
import { readPinRequest } from "./keyword.ts";
import { isJsonObject, promptOf } from "./requests.ts";
import type { SettingsShelf } from "./settings.ts";
import type { UsageBook } from "./usage.ts";

export type CallKind = "text" | "image";

/**
 * How a call ended: with an answer (a faulty one has a note), with an error, without any because of a fault, or with
 * the caller's leaving; the model may be at work then.
 */
type CallEnd = "answered" | "refused" | "cut" | "abandoned";

/** One text or image call: for whom and about what, when, and how it ended. */
export type Call = {
  id: number;
  kind: CallKind;
  path: string;
  model: string;
  /** What the pin is about, as read from the prompt. */
  keyword: string;
  /** The start of the user's prompt. */
  prompt: string;
  /** `safety_identifier`, or the older `user`; null when neither was sent. */
  user: string | null;
  /** ISO 8601, when the call arrived, and when it was over; null while it is under way. */
  at: string;
  endedAt: string | null;
  end: CallEnd | null;
  /** The status sent; 0 when none was. */
  status: number | null;
  /** The error's code, or the fault that struck. */
  note: string;
  /** Whether the model worked, and would be paid: also true when the answer then was lost. */
  isMade: boolean;
};

/** Counts since the start or the last reset. */
export type CallCounts = { calls: number; inFlight: number; mostInFlight: number } & Record<CallEnd, number>;

interface CallBook {
  open(call: Omit<Call, "id" | "at" | "endedAt" | "end" | "status" | "note" | "isMade">): Call;
  close(call: Call, end: CallEnd, status: number, note: string): void;
  /** The last calls, in the order they came. */
  list(): Call[];
  counts(kind: CallKind): CallCounts;
  clear(): void;
}

const KEPT_CALLS = 50_000;
const PROMPT_CHARS = 400;
const NO_CALLS: CallCounts = {
  ...{ calls: 0, inFlight: 0, mostInFlight: 0 },
  ...{ answered: 0, refused: 0, cut: 0, abandoned: 0 },
};

/** An empty book. */
export function createCallBook(): CallBook {
  let calls: Call[] = [];
  let counts: Record<CallKind, CallCounts> = { text: { ...NO_CALLS }, image: { ...NO_CALLS } };
  let lastId = 0;
  return {
    open(facts) {
      lastId += 1;
      const open = { at: new Date().toISOString(), endedAt: null, end: null, status: null, note: "", isMade: false };
      const call: Call = { id: lastId, ...facts, ...open };
      calls.push(call);
      if (calls.length >= KEPT_CALLS * 2) calls = calls.slice(-KEPT_CALLS);
      const count = counts[call.kind];
      count.calls += 1;
      count.inFlight += 1;
      count.mostInFlight = Math.max(count.mostInFlight, count.inFlight);
      return call;
    },
    close(call, end, status, note) {
      Object.assign(call, { end, status, note, endedAt: new Date().toISOString() });
      const count = counts[call.kind];
      count[end] += 1;
      count.inFlight -= 1;
    },
    list: () => calls.slice(-KEPT_CALLS),
    counts: (kind) => ({ ...counts[kind] }),
    clear() {
      calls = [];
      // Calls under way still end, and must not count below zero then.
      const under = (kind: CallKind) => ({ ...NO_CALLS, inFlight: counts[kind].inFlight });
      counts = { text: under("text"), image: under("image") };
    },
  };
}

const callsByRequest = new WeakMap<Request, Call>();

/** Notes that the model has worked for this call, whatever becomes of the answer. */
export function markMade(c: Context<StandInEnv>): void {
  const call = callsByRequest.get(c.req.raw);
  if (call) call.isMade = true;
}

/** Writes each text and image call into the book, from its arrival to its end. */
export function bookCalls(book: CallBook, kind: CallKind): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    const body: unknown = await c.req.json().catch(() => ({}));
    const call = book.open({ kind, path: c.req.path, ...factsOf(body) });
    callsByRequest.set(c.req.raw, call);
    const closeLost = () => {
      const fault = c.get("note") ?? "";
      if (call.end === null) book.close(call, fault ? "cut" : "abandoned", 0, fault);
    };
    c.env.outgoing.once("close", closeLost);
    await next();
    if (c.env.outgoing.destroyed) return closeLost();
    const { status } = c.res;
    const note = c.get("note") ?? (status >= 400 ? await codeOf(c.res) : "");
    book.close(call, status >= 400 ? "refused" : "answered", status, note);
  };
}

function factsOf(body: unknown): Pick<Call, "model" | "keyword" | "prompt" | "user"> {
  if (!isJsonObject(body)) return { model: "", keyword: "", prompt: "", user: null };
  const prompt = promptOf(body);
  const user = body.safety_identifier ?? body.user;
  return {
    model: typeof body.model === "string" ? body.model : "",
    keyword: prompt === "" ? "" : readPinRequest(prompt).keyword,
    prompt: prompt.slice(0, PROMPT_CHARS),
    user: typeof user === "string" ? user : null,
  };
}

/** The code in an error's body; every error of this stand-in has one or is told by its status. */
async function codeOf(response: Response): Promise<string> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const error = isJsonObject(body) && isJsonObject(body.error) ? body.error : {};
  return typeof error.code === "string" ? error.code : String(response.status);
}

/** What this stand-in's own control addresses read and change. */
type OpenAiControl = {
  settings: SettingsShelf;
  calls: CallBook;
  gate: PictureGate;
  usage: UsageBook;
};

/**
 * Beside the common control routes: `GET|POST /settings` (see `settings.ts`), `GET /state` (settings, counts of calls,
 * the standing of the limits), `GET /calls` (each text and image call: whose, about what, when, how it ended;
 * `?kind=image`), and `GET /usage`.
 */
export function openAiControl({ settings, calls, gate, usage }: OpenAiControl): Hono<StandInEnv> {
  const app = createApp();
  app.get("/settings", (c) => c.json(settings.read()));
  app.post("/settings", (c) => change(c, settings));
  app.get("/state", (c) =>
    c.json({
      settings: settings.read(),
      text: calls.counts("text"),
      image: calls.counts("image"),
      limits: gate.standing(),
      usage: usage.totals(),
    }),
  );
  app.get("/calls", (c) => {
    const kind = c.req.query("kind");
    return c.json({ calls: calls.list().filter((call) => kind === undefined || call.kind === kind) });
  });
  app.get("/usage", (c) => c.json(usage.totals()));
  return app;
}

async function change(c: Context<StandInEnv>, settings: SettingsShelf): Promise<Response> {
  try {
    return c.json(settings.change(await c.req.json()));
  } catch (error) {
    return c.json({ error: error instanceof Error ? error.message : String(error) }, 400);
  }
}
