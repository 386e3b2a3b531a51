import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { createControlApp } from "../kit/control.ts";
import type { StandInEnv } from "../kit/serve.ts";
import { type Account, newId, type Pin, type PinterestEvent } from "./model.ts";
import { makeAccount } from "./seed.ts";
import { findByUsername, type PinterestStore } from "./state.ts";
import type { Pinterest } from "./wire.ts";

const newAccount = z.object({
  username: z.string().regex(/^[a-z0-9][a-z0-9._]{2,29}$/i, "must be 3 to 30 letters, digits, dots or underscores"),
  boards: z.int().min(0).max(2_000).default(3),
});
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
  const app = createControlApp();
  app.get("/accounts", (c) => c.json({ accounts: [...store.state.accounts.values()].map(toControlAccount) }));
  app.post("/accounts", async (c) => {
    const { username, boards } = newAccount.parse(await c.req.json());
    const made = makeAccount(username, boards);
    assertFree(store, username);
    if (store.state.accounts.has(made.id)) throw new Error("This username is taken");
    store.commit({ kind: "account", username, boardCount: boards });
    return c.json(toControlAccount(made), 201);
  });
  app.post("/accounts/:username/:action", async (c) => {
    const account = findByUsername(store.state, c.req.param("username"));
    if (account === undefined) return c.json({ error: "No such account" }, 404);
    store.commit(await eventOf(c, store, account.id));
    return c.json(toControlAccount(account));
  });
  app.delete("/boards/:id", (c) => {
    if (!store.state.boards.has(c.req.param("id"))) return c.json({ error: "No such board" }, 404);
    store.commit({ kind: "boardRemoved", boardId: c.req.param("id") });
    return c.body(null, 204);
  });
  return app;
}

async function eventOf(c: Context<StandInEnv>, store: PinterestStore, accountId: string): Promise<PinterestEvent> {
  const action = c.req.param("action");
  if (action === "revoke") return { kind: "revoked", accountId };
  if (action === "expire") return { kind: "expired", accountId };
  if (action !== "rename") throw new Error("Use /revoke, /expire or /rename");
  const { to: username } = z.object({ to: z.string() }).parse(await c.req.json());
  assertFree(store, username);
  return { kind: "renamed", accountId, username };
}

function assertFree({ state }: PinterestStore, username: string): void {
  if (findByUsername(state, username) !== undefined) throw new Error("This username is taken");
}

/**
 * What tests and demonstrations do to pins, under `/__control`: `GET /pins?account=`, `POST /pins {account, pins}`,
 * `DELETE /pins/:id`, `GET|POST|DELETE /planted`. Wrong requests are answered 400 or 404 `{error}`.
 */
export function pinsControl(pinterest: Pinterest): Hono<StandInEnv> {
  const { store, clock } = pinterest;
  const app = createControlApp();
  app.get("/pins", (c) => {
    const username = c.req.query("account");
    const account = findByUsername(store.state, username ?? "");
    if (username !== undefined && account === undefined) return c.json({ error: "No such account" }, 404);
    const pins = account === undefined ? store.state.pins.values() : (store.state.pinsByAccount.get(account.id) ?? []);
    return c.json({ pins: [...pins].map(toControlPin), now: clock.now().toISOString() });
  });
  app.post("/pins", async (c) => {
    const { account: username, pins } = pinsToSeed.parse(await c.req.json());
    const account = findByUsername(store.state, username);
    if (account === undefined) return c.json({ error: "No such account" }, 404);
    const stray = pins.find((pin) => !account.boards.some(({ id }) => id === pin.board_id));
    if (stray !== undefined) throw new Error(`The account has no board ${stray.board_id}`);
    return c.json({ ids: seedPins(pinterest, account, pins) }, 201);
  });
  app.delete("/pins/:id", (c) => {
    if (!store.state.pins.has(c.req.param("id"))) return c.json({ error: "No such pin" }, 404);
    store.commit({ kind: "pinRemoved", pinId: c.req.param("id") });
    return c.body(null, 204);
  });
  app.get("/planted", (c) => c.json({ planted: store.state.planted }));
  app.post("/planted", async (c) => {
    store.commit({ kind: "planted", rule: plantedRule.parse(await c.req.json()) });
    return c.json({ planted: store.state.planted }, 201);
  });
  app.delete("/planted", (c) => {
    store.commit({ kind: "planted", rule: null });
    return c.body(null, 204);
  });
  return app;
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
