import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Context, Hono } from "hono";
import sharp from "sharp";
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
/** Pins to add to an account's boards, as if published at `created_at` (default now). */
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

/** Accounts and boards under `/__control`. Invalid requests get 400 or 404 `{error}`. */
export function accountsControl({ store }: Pinterest): Hono<StandInEnv> {
  const app = createControlApp();
  app.get("/accounts", (c) => c.json({ accounts: [...store.state.accounts.values()].map(toControlAccount) }));
  app.post("/accounts", async (c) => {
    const { username, boards } = newAccount.parse(await c.req.json());
    const created = makeAccount(username, boards);
    assertAvailable(store, username);
    if (store.state.accounts.has(created.id)) throw new Error("This username is taken");
    store.append({ kind: "account", username, boardCount: boards });
    return c.json(toControlAccount(created), 201);
  });
  app.post("/accounts/:username/:action", async (c) => {
    const account = findByUsername(store.state, c.req.param("username"));
    if (account === undefined) return c.json({ error: "No such account" }, 404);
    store.append(await eventOf(c, store, account.id));
    return c.json(toControlAccount(account));
  });
  app.delete("/boards/:id", (c) => {
    if (!store.state.boards.has(c.req.param("id"))) return c.json({ error: "No such board" }, 404);
    store.append({ kind: "boardRemoved", boardId: c.req.param("id") });
    return c.body(null, 204);
  });
  app.delete("/boards/:id/sections/:section", (c) => {
    const { id: boardId, section: sectionId } = c.req.param();
    store.append({ kind: "sectionRemoved", boardId, sectionId });
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
  assertAvailable(store, username);
  return { kind: "renamed", accountId, username };
}

function assertAvailable({ state }: PinterestStore, username: string): void {
  if (findByUsername(state, username) !== undefined) throw new Error("This username is taken");
}

/** Pins, and click rates for the analytics to find, under `/__control`. */
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
    const invalid = pins.find((pin) => !account.boards.some(({ id }) => id === pin.board_id));
    if (invalid !== undefined) throw new Error(`The account has no board ${invalid.board_id}`);
    await ensureSeedImage(pinterest.mediaFolder);
    return c.json({ ids: seedPins(pinterest, account, pins) }, 201);
  });
  app.delete("/pins/:id", (c) => {
    if (!store.state.pins.has(c.req.param("id"))) return c.json({ error: "No such pin" }, 404);
    store.append({ kind: "pinRemoved", pinId: c.req.param("id") });
    return c.body(null, 204);
  });
  app.post("/planted", async (c) => {
    store.append({ kind: "planted", rule: plantedRule.parse(await c.req.json()) });
    return c.json({ planted: store.state.planted }, 201);
  });
  app.delete("/planted", (c) => {
    store.append({ kind: "planted", rule: null });
    return c.body(null, 204);
  });
  return app;
}

const SEEDED_IMAGE = { file: "seeded.png", contentType: "image/png", widthPx: 400, heightPx: 600 } as const;

/** Adds pins to an account's boards, all with the same plain image. Returns their ids in order. */
function seedPins(
  { store, clock }: Pinterest,
  account: Account,
  requested: z.output<typeof pinsToSeed>["pins"],
): string[] {
  const ids = new Set<string>();
  while (ids.size < requested.length) ids.add(newId((known) => store.state.pins.has(known)));
  const created = [...ids];
  const pins = requested.map(({ board_id, created_at, ...fields }, index): Pin => {
    const { title = null, description = null, link = null } = fields;
    return {
      ...{ id: created[index] ?? "", accountId: account.id, boardId: board_id, title, description, link },
      ...{ altText: null, dominantColor: null, aiDisclosures: null, image: SEEDED_IMAGE },
      createdAt: new Date(created_at ?? clock.now()).toISOString(),
    };
  });
  store.append({ kind: "pins", pins });
  return created;
}

async function ensureSeedImage(folder: string): Promise<void> {
  const { file, widthPx: width, heightPx: height } = SEEDED_IMAGE;
  if (existsSync(join(folder, file))) return;
  mkdirSync(folder, { recursive: true });
  const image = sharp({ create: { width, height, channels: 3, background: "#d8cfc0" } });
  const path = join(folder, file);
  writeFileSync(`${path}.part`, await image.png().toBuffer());
  renameSync(`${path}.part`, path);
}

function toControlAccount({ id, username, boards }: Account): Record<string, unknown> {
  return {
    id,
    username,
    boards: boards.map(({ id, name, privacy }) => ({ id, name, privacy })),
  };
}

function toControlPin(pin: Pin): Record<string, unknown> {
  const { id, boardId, title, description, link, altText, aiDisclosures, image, createdAt, slides = [] } = pin;
  return {
    ...{ id, board_id: boardId, board_section_id: pin.boardSectionId ?? null, title, description, link, image, slides },
    ...{ alt_text: altText, ai_disclosures: aiDisclosures, created_at: createdAt, video: pin.video ?? null },
  };
}
