import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { type Account, newId, type Pin, type PinterestEvent } from "./model.ts";
import { makeAccount } from "./seed.ts";
import { findByUsername } from "./state.ts";
import type { Pinterest } from "./wire.ts";

const newAccount = z.object({
  username: z.string().regex(/^[a-z0-9][a-z0-9._]{2,29}$/i, "must be 3 to 30 letters, digits, dots or underscores"),
  boards: z.int().min(0).max(2_000).default(3),
});
const newName = z.object({ to: z.string() });
const plantedRule = z.object({ words: z.string().trim().min(1).max(200), factor: z.number().min(0).max(20) });
/** Pins to put on an account's boards at once, as if they had been published at `created_at` (by default now). */
const pinsToSeed = z.object({
  account: z.string(),
  pins: z
    .array(
      z.object({
        board_id: z.string(),
        title: z.string().max(100).nullish(),
        description: z.string().max(800).nullish(),
        link: z.string().max(2_048).nullish(),
        created_at: z.iso.datetime({ offset: true }).optional(),
      }),
    )
    .max(5_000),
});

/**
 * Pinterest's own part of `/__control`: `GET|POST /accounts`, `POST /accounts/:username/revoke|expire|rename`,
 * `DELETE /boards/:id`. Wrong requests are answered 400 or 404 `{error}`.
 */
export function accountsControl({ store }: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/accounts", (c) => c.json({ accounts: [...store.state.accounts.values()].map(toControlAccount) }));
  app.post("/accounts", async (c) => {
    const order = newAccount.safeParse(await c.req.json());
    if (!order.success) return refuse(c, z.prettifyError(order.error));
    const { username, boards } = order.data;
    const made = makeAccount(username, boards);
    if (findByUsername(store.state, username) !== undefined || store.state.accounts.has(made.id)) {
      return refuse(c, "This username is taken");
    }
    store.commit({ kind: "account", username, boardCount: boards });
    return c.json(toControlAccount(made), 201);
  });
  app.post("/accounts/:username/:action", async (c) => {
    const account = findByUsername(store.state, c.req.param("username"));
    if (account === undefined) return c.json({ error: "No such account" }, 404);
    const event = await eventOf(c, account.id, (to) => findByUsername(store.state, to) === undefined);
    if (event === undefined) return refuse(c, 'Use /revoke, /expire, or /rename with a free name in "to"');
    store.commit(event);
    return c.json(toControlAccount(account));
  });
  app.delete("/boards/:id", (c) => {
    if (!store.state.boards.has(c.req.param("id"))) return c.json({ error: "No such board" }, 404);
    store.commit({ kind: "boardRemoved", boardId: c.req.param("id") });
    return c.body(null, 204);
  });
  return app;
}

async function eventOf(
  c: Context<StandInEnv>,
  accountId: string,
  isFree: (username: string) => boolean,
): Promise<PinterestEvent | undefined> {
  const action = c.req.param("action");
  if (action === "revoke") return { kind: "revoked", accountId };
  if (action === "expire") return { kind: "expired", accountId };
  const order = newName.safeParse(action === "rename" ? await c.req.json() : undefined);
  return order.success && isFree(order.data.to) ? { kind: "renamed", accountId, username: order.data.to } : undefined;
}

/**
 * What tests and demonstrations do to pins, under `/__control`: `GET /pins?account=`, `POST /pins {account, pins}`,
 * `DELETE /pins/:id`, `GET|POST|DELETE /planted`. Wrong requests are answered 400 or 404 `{error}`.
 */
export function pinsControl(pinterest: Pinterest): Hono<StandInEnv> {
  const { store, clock } = pinterest;
  const app = createApp();
  app.get("/pins", (c) => {
    const username = c.req.query("account");
    const account = findByUsername(store.state, username ?? "");
    if (username !== undefined && account === undefined) return c.json({ error: "No such account" }, 404);
    const pins = account === undefined ? store.state.pins.values() : (store.state.pinsByAccount.get(account.id) ?? []);
    return c.json({ pins: [...pins].map(toControlPin), now: clock.now().toISOString() });
  });
  app.post("/pins", async (c) => {
    const order = pinsToSeed.safeParse(await c.req.json());
    if (!order.success) return refuse(c, z.prettifyError(order.error));
    const account = findByUsername(store.state, order.data.account);
    if (account === undefined) return c.json({ error: "No such account" }, 404);
    const stray = order.data.pins.find((pin) => !account.boards.some(({ id }) => id === pin.board_id));
    if (stray !== undefined) return refuse(c, `The account has no board ${stray.board_id}`);
    return c.json({ ids: seedPins(pinterest, account, order.data.pins) }, 201);
  });
  app.delete("/pins/:id", (c) => {
    if (!store.state.pins.has(c.req.param("id"))) return c.json({ error: "No such pin" }, 404);
    store.commit({ kind: "pinRemoved", pinId: c.req.param("id") });
    return c.body(null, 204);
  });
  app.get("/planted", (c) => c.json({ planted: store.state.planted }));
  app.post("/planted", async (c) => {
    const rule = plantedRule.safeParse(await c.req.json());
    if (!rule.success) return refuse(c, z.prettifyError(rule.error));
    store.commit({ kind: "planted", rule: rule.data });
    return c.json({ planted: store.state.planted }, 201);
  });
  app.delete("/planted", (c) => {
    store.commit({ kind: "planted", rule: null });
    return c.body(null, 204);
  });
  return app;
}

function refuse(c: Context<StandInEnv>, error: string): Response {
  return c.json({ error }, 400);
}

const SEEDED_PICTURE = { file: "seeded.png", contentType: "image/png", widthPx: 400, heightPx: 600 } as const;

/** Puts pins on an account's boards, all with the same plain picture. @returns their ids, in the order of the request. */
function seedPins(
  { store, clock, mediaFolder }: Pinterest,
  account: Account,
  wantedPins: z.output<typeof pinsToSeed>["pins"],
): string[] {
  drawOnce(mediaFolder);
  const ids = new Set<string>();
  while (ids.size < wantedPins.length) ids.add(newId((known) => store.state.pins.has(known)));
  const made = [...ids];
  const pins = wantedPins.map(({ board_id, created_at, ...wanted }, index): Pin => {
    const { title = null, description = null, link = null } = wanted;
    return {
      ...{ id: made[index] ?? "", accountId: account.id, boardId: board_id, title, description, link },
      ...{ altText: null, dominantColor: null, aiDisclosures: null, picture: SEEDED_PICTURE },
      createdAt: new Date(created_at ?? clock.now()).toISOString(),
    };
  });
  store.commit({ kind: "pins", pins });
  return made;
}

function drawOnce(folder: string): void {
  const { file, widthPx, heightPx } = SEEDED_PICTURE;
  if (existsSync(join(folder, file))) return;
  mkdirSync(folder, { recursive: true });
  const canvas = createCanvas(widthPx, heightPx);
  const paint = canvas.getContext("2d");
  paint.fillStyle = "#d8cfc0";
  paint.fillRect(0, 0, widthPx, heightPx);
  writeFileSync(join(folder, file), canvas.toBuffer("image/png"));
}

function toControlAccount({ id, username, boards }: Account): Record<string, unknown> {
  return { id, username, boards: boards.map(({ id, name, privacy }) => ({ id, name, privacy })) };
}

function toControlPin(pin: Pin): Record<string, unknown> {
  const { id, title, description, link, picture } = pin;
  return {
    ...{ id, account_id: pin.accountId, board_id: pin.boardId, title, description, link, alt_text: pin.altText },
    ...{ ai_disclosures: pin.aiDisclosures, picture, created_at: pin.createdAt },
  };
}
