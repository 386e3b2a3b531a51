import type { Context, Hono } from "hono";
import { createApp, type StandInEnv } from "#sandbox/kit/serve.ts";
import type { CallBook } from "./call-book.ts";
import type { PictureGate } from "./picture-gate.ts";
import type { SettingsShelf } from "./settings.ts";
import type { UsageBook } from "./usage.ts";

/** What this stand-in's own control addresses read and change. */
export type OpenAiControl = {
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
