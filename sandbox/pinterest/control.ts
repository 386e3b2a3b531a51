import type { Context, Hono } from "hono";
import { z } from "zod";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import type { Account, Pin } from "./model.ts";
import { objectOf } from "./refusals.ts";
import { makeAccount, seedOrder, seedPins } from "./seed.ts";
import { findByUsername } from "./state.ts";
import type { Pinterest } from "./wire.ts";

const MOST_BOARDS = 2_000;

/**
 * Pinterest's own part of `/__control`: `GET|POST /accounts`, `POST /accounts/:username/revoke|expire|rename`,
 * `DELETE /boards/:id`. Wrong requests are answered 400 or 404 `{error}`.
 */
export function pinterestControl({ store }: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/accounts", (c) => c.json({ accounts: [...store.state.accounts.values()].map(toControlAccount) }));
  app.post("/accounts", async (c) => {
    const { username, boards = 3 } = objectOf(await c.req.json());
    if (typeof username !== "string" || !/^[a-z0-9][a-z0-9._]{2,29}$/i.test(username)) {
      return c.json({ error: '"username" must be 3 to 30 letters, digits, dots or underscores' }, 400);
    }
    if (typeof boards !== "number" || !Number.isInteger(boards) || boards < 0 || boards > MOST_BOARDS) {
      return c.json({ error: `"boards" must be a whole number up to ${MOST_BOARDS}` }, 400);
    }
    const made = makeAccount(username, boards);
    if (findByUsername(store.state, username) !== undefined || store.state.accounts.has(made.id)) {
      return c.json({ error: "This username is taken" }, 400);
    }
    store.commit({ kind: "account", username, boardCount: boards });
    return c.json(toControlAccount(made), 201);
  });
  app.post("/accounts/:username/:action", async (c) => {
    const account = findByUsername(store.state, c.req.param("username"));
    if (account === undefined) return c.json({ error: "No such account" }, 404);
    if (c.req.param("action") === "revoke") {
      store.commit({ kind: "revoked", accountId: account.id });
      return c.json(toControlAccount(account));
    }
    if (c.req.param("action") === "expire") {
      store.commit({ kind: "expired", accountId: account.id });
      return c.json(toControlAccount(account));
    }
    const { to } = objectOf(await c.req.json());
    if (c.req.param("action") !== "rename" || typeof to !== "string" || findByUsername(store.state, to)) {
      return c.json({ error: 'Use /revoke, /expire, or /rename with a free name in "to"' }, 400);
    }
    store.commit({ kind: "renamed", accountId: account.id, username: to });
    return c.json(toControlAccount(account));
  });
  app.delete("/boards/:id", (c) => {
    if (!store.state.boards.has(c.req.param("id"))) return c.json({ error: "No such board" }, 404);
    store.commit({ kind: "boardRemoved", boardId: c.req.param("id") });
    return c.body(null, 204);
  });
  return app;
}

function toControlAccount({ id, username, boards }: Account): Record<string, unknown> {
  return { id, username, boards: boards.map(({ id, name, privacy }) => ({ id, name, privacy })) };
}

const plantedOrder = z.object({ words: z.string().trim().min(1).max(200), factor: z.number().min(0).max(20) });

/**
 * What tests and demonstrations do to pins, under `/__control`: `GET /pins?account=`, `POST /pins {account, pins}`,
 * `DELETE /pins/:id`, `GET|POST|DELETE /planted`. Wrong requests are answered 400 or 404 `{error}`.
 */
export function pinsControl(pinterest: Pinterest): Hono<StandInEnv> {
  const { store, clock } = pinterest;
  const app = createApp();
  app.get("/pins", (c) => {
    const username = c.req.query("account");
    const account = username === undefined ? undefined : findByUsername(store.state, username);
    if (username !== undefined && account === undefined) return c.json({ error: "No such account" }, 404);
    const pins = account === undefined ? store.state.pins.values() : (store.state.pinsByAccount.get(account.id) ?? []);
    return c.json({ pins: [...pins].map(toControlPin), now: clock.now().toISOString() });
  });
  app.post("/pins", async (c) => {
    const order = seedOrder.safeParse(await c.req.json());
    if (!order.success) return refuse(c, z.prettifyError(order.error));
    const account = findByUsername(store.state, order.data.account);
    if (account === undefined) return c.json({ error: "No such account" }, 404);
    const stray = order.data.pins.find((pin) => !account.boards.some(({ id }) => id === pin.board_id));
    if (stray !== undefined) return refuse(c, `The account has no board ${stray.board_id}`);
    return c.json({ ids: seedPins(pinterest, account, order.data.pins).map(({ id }) => id) }, 201);
  });
  app.delete("/pins/:id", (c) => {
    if (!store.state.pins.has(c.req.param("id"))) return c.json({ error: "No such pin" }, 404);
    store.commit({ kind: "pinRemoved", pinId: c.req.param("id") });
    return c.body(null, 204);
  });
  app.get("/planted", (c) => c.json({ planted: store.state.planted }));
  app.post("/planted", async (c) => {
    const rule = plantedOrder.safeParse(await c.req.json());
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

function toControlPin(pin: Pin): Record<string, unknown> {
  return {
    id: pin.id,
    account_id: pin.accountId,
    board_id: pin.boardId,
    title: pin.title,
    description: pin.description,
    link: pin.link,
    alt_text: pin.altText,
    ai_disclosures: pin.aiDisclosures,
    picture: pin.picture,
    created_at: pin.createdAt,
  };
}
