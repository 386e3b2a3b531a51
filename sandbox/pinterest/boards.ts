import type { Context, Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { authorize, type Caller } from "./authorize.ts";
import type { Board, Pin } from "./model.ts";
import { DEFAULT_PAGE_SIZE, invalidRequest, paginate, REFUSALS, type Refusal, RefusedError } from "./refusals.ts";
import { originOf, type Pinterest, toWireAccount, toWireBoard, toWirePin } from "./wire.ts";

const NO_COUNTS = {
  board_count: null,
  pin_count: null,
  follower_count: null,
  following_count: null,
  monthly_views: null,
};

/** `GET /user_account`, `GET /boards`, `GET /boards/:id/pins`. */
export function boardsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/user_account", (c) => {
    const { account } = authorize(pinterest, c, { scopes: ["user_accounts:read"], category: "org_read" });
    checkQuery(pinterest, c, "/user_account");
    const shown = toWireAccount(account, pinterest.store.state);
    return c.json(isPlaying(c, "null-counts") ? { ...shown, ...NO_COUNTS } : shown);
  });
  app.get("/boards", (c) => {
    const caller = authorize(pinterest, c, { scopes: ["boards:read"], category: "org_read" });
    const query = checkQuery(pinterest, c, "/boards");
    const size = Number(query.page_size ?? DEFAULT_PAGE_SIZE);
    const shown = isPlaying(c, "short-pages") ? Math.max(1, Math.floor(size / 2)) : size;
    return c.json(listBoards(pinterest, caller, { ...query, page_size: String(shown) }));
  });
  app.get("/boards/:id/pins", (c) => {
    const caller = authorize(pinterest, c, { scopes: ["boards:read", "pins:read"], category: "org_read" });
    const query = checkQuery(pinterest, c, "/boards/{board_id}/pins");
    const board = readableBoard(pinterest, caller, c.req.param("id"));
    const newestFirst = listedPins(pinterest, pinterest.store.state.pinsByBoard.get(board.id) ?? []);
    const { items, bookmark } = paginate(newestFirst, query);
    const origin = originOf(pinterest, c);
    return c.json({ items: items.map((pin) => toWirePin(pin, pinterest.store.state, origin)), bookmark });
  });
  return app;
}

/**
 * Checks the query of a GET and the ids in its path, and returns the query.
 * @throws RefusedError 400 with the first fault, or what `refusal` says.
 */
export function checkQuery(
  { spec }: Pinterest,
  c: Context<StandInEnv>,
  path: string,
  refusal?: Refusal,
): Record<string, string> {
  const query = c.req.query();
  const result = spec.check("GET", path, { path: pathParts(path, c.req.path), query });
  if (!result.ok) throw new RefusedError(refusal ?? invalidRequest(result.errors[0] ?? "query"));
  return query;
}

/** `/boards/{board_id}` and `/v5/boards/12` give `{board_id: "12"}`. */
function pathParts(path: string, requested: string): Record<string, string> {
  const given = requested.replace(/^\/v5/, "").split("/");
  const marked = path.split("/").map((part, index): [string, string] => [part, decodeURIComponent(given[index] ?? "")]);
  return Object.fromEntries(
    marked.filter(([part]) => part.startsWith("{")).map(([part, value]) => [part.slice(1, -1), value]),
  );
}

/** Newest first; a pin younger than the listing lag is not there yet. */
export function listedPins({ clock, settings }: Pinterest, oldestFirst: readonly Pin[]): Pin[] {
  if (settings.listingLagSeconds === 0) return [...oldestFirst].reverse();
  const newestListed = new Date(clock.now().getTime() - settings.listingLagSeconds * 1000).toISOString();
  return oldestFirst.filter(({ createdAt }) => createdAt <= newestListed).reverse();
}

/** Hidden boards are left out after the page is cut, so a page may be short and still go on. */
function listBoards({ store }: Pinterest, { account, scopes }: Caller, query: Record<string, string>) {
  const privacy = query.privacy ?? "ALL";
  const seesSecret = scopes.has("boards:read_secret");
  if (privacy === "SECRET" && !seesSecret) throw new RefusedError(REFUSALS.notPermitted);
  const { items, bookmark } = paginate(
    account.boards.filter((board) => matchesFilter(board, privacy)),
    query,
  );
  const visible = items.filter((board) => board.privacy !== "SECRET" || seesSecret);
  return { items: visible.map((board) => toWireBoard(board, store.state)), bookmark };
}

function matchesFilter(board: Board, filter: string): boolean {
  if (filter === "ALL") return true;
  return filter === "PUBLIC_AND_SECRET" ? board.privacy !== "PROTECTED" : board.privacy === filter;
}

/** A board the caller may read. @throws RefusedError 404/40 for hidden and missing ones, 403/29 for another's. */
function readableBoard({ store }: Pinterest, { account, scopes }: Caller, id: string): Board {
  const board = store.state.boards.get(id);
  if (board === undefined) throw new RefusedError(REFUSALS.boardGone);
  if (board.accountId === account.id) {
    if (board.privacy === "SECRET" && !scopes.has("boards:read_secret")) throw new RefusedError(REFUSALS.boardGone);
    return board;
  }
  if (board.privacy === "SECRET") throw new RefusedError(REFUSALS.boardGone);
  throw new RefusedError(REFUSALS.notPermitted);
}
