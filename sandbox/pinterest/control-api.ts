import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import type { Pinterest } from "./context.ts";
import { objectOf } from "./json-body.ts";
import type { Account } from "./model.ts";
import { makeAccount } from "./seed.ts";
import { findByUsername } from "./state.ts";

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
