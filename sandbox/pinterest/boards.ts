import type { Context, Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { authorize, type Caller } from "./authorize.ts";
import { type Board, newId, type Pin, type Privacy, type Section } from "./model.ts";
import {
  DEFAULT_PAGE_SIZE,
  invalidRequest,
  paginate,
  parseJson,
  REFUSALS,
  type Refusal,
  RefusedError,
} from "./refusals.ts";
import { originOf, type Pinterest, toWireAccount, toWireBoard, toWirePin } from "./wire.ts";

const NO_COUNTS = {
  board_count: null,
  pin_count: null,
  follower_count: null,
  following_count: null,
  monthly_views: null,
};

/** `GET /user_account`, `GET /boards`, `GET /boards/:id`, `GET /boards/:id/pins`. */
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
  app.get("/boards/:id", (c) => {
    const caller = authorize(pinterest, c, { scopes: ["boards:read"], category: "org_read" });
    checkQuery(pinterest, c, "/boards/{board_id}");
    return c.json(toWireBoard(readableBoard(pinterest, caller, c.req.param("id")), pinterest.store.state));
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

/** The scopes and the category of everything that changes boards and their sections. */
const BOARD_WRITE = { scopes: ["boards:read", "boards:write"], category: "org_write" } as const;

const MOST_NAME_CHARS = 50;

interface BoardBody {
  name?: string;
  description?: string | null;
  privacy?: Privacy;
}

/** `POST /boards`, `PATCH /boards/:id` and `DELETE /boards/:id`. */
export function boardsWriteApi(pinterest: Pinterest): Hono<StandInEnv> {
  const { store, clock } = pinterest;
  const app = createApp();
  app.post("/boards", async (c) => {
    const caller = authorize(pinterest, c, BOARD_WRITE);
    const { name = "", description = null, privacy = "PUBLIC" }: BoardBody = await readBody(pinterest, c, "/boards");
    assertMayHide(caller, privacy);
    const board: Board = {
      id: newId((id) => store.state.boards.has(id)),
      accountId: caller.account.id,
      name: freeName(caller, name),
      description,
      privacy,
      followers: 0,
      earlierPins: 0,
      createdAt: clock.now().toISOString(),
    };
    store.commit({ kind: "board", board });
    c.set("created", board.id);
    return c.json(toWireBoard(board, store.state), 201);
  });
  app.patch("/boards/:id", async (c) => {
    const caller = authorize(pinterest, c, BOARD_WRITE);
    const { name, ...others }: BoardBody = await readBody(pinterest, c, "/boards/{board_id}");
    const board = ownBoard(pinterest, caller, c.req.param("id"));
    assertMayHide(caller, others.privacy);
    const changes = { ...others, ...(name === undefined ? {} : { name: freeName(caller, name, board) }) };
    store.commit({ kind: "boardChanged", boardId: board.id, changes });
    return c.json(toWireBoard(board, store.state));
  });
  app.delete("/boards/:id", (c) => {
    const caller = authorize(pinterest, c, BOARD_WRITE);
    const board = ownBoard(pinterest, caller, c.req.param("id"));
    store.commit({ kind: "boardRemoved", boardId: board.id });
    return c.body(null, 204);
  });
  return app;
}

/**
 * Reads and checks the body of a writing call against the description of `path`.
 * @throws RefusedError 400 naming the first fault.
 */
export async function readBody<T extends object>(
  { spec }: Pinterest,
  c: Context<StandInEnv>,
  path: string,
): Promise<T> {
  const body = parseJson(await c.req.text());
  const result = spec.check(c.req.method, path, { query: c.req.query(), body });
  if (!result.ok) throw new RefusedError(invalidRequest(result.errors[0] ?? "body"));
  return checkedBody<T>(body);
}

/** The caller's own board. @throws RefusedError 404/40 when there is none, 403/403 when it is another's. */
function ownBoard({ store }: Pinterest, { account, scopes }: Caller, id: string): Board {
  const board = store.state.boards.get(id);
  if (board === undefined) throw new RefusedError(REFUSALS.boardGone);
  const isHidden = board.privacy === "SECRET" && !scopes.has("boards:write_secret");
  if (board.accountId !== account.id || isHidden) throw new RefusedError(REFUSALS.boardNotYours);
  return board;
}

function assertMayHide({ scopes }: Caller, privacy: Privacy | undefined): void {
  if (privacy === "SECRET" && !scopes.has("boards:write_secret")) throw new RefusedError(REFUSALS.notPermitted);
}

/** Two boards of an account may not differ by case alone. The description gives no length; the site's is 50. */
function freeName({ account }: Caller, text: string, self?: Board): string {
  const name = text.trim();
  const isTaken = account.boards.some((board) => board !== self && board.name.toLowerCase() === name.toLowerCase());
  if (name === "" || name.length > MOST_NAME_CHARS || isTaken) throw new RefusedError(REFUSALS.boardNameTaken);
  return name;
}

/** The description has just been checked. */
function checkedBody<T extends object>(body: unknown): T {
  return body as T;
}

const ALL = "/boards/{board_id}/sections";
const ONE = `${ALL}/{section_id}`;

/** `GET|POST /boards/:id/sections`, `PATCH|DELETE /boards/:id/sections/:section` and that section's `GET …/pins`. */
export function sectionsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const { store } = pinterest;
  const app = createApp();
  app.get("/boards/:id/sections", (c) => {
    const caller = authorize(pinterest, c, { scopes: ["boards:read"], category: "org_read" });
    const query = checkQuery(pinterest, c, ALL);
    const { items, bookmark } = paginate(
      sectionsOf(pinterest, readableBoard(pinterest, caller, c.req.param("id"))),
      query,
    );
    return c.json({ items: items.map(toWireSection), bookmark });
  });
  app.post("/boards/:id/sections", async (c) => {
    const caller = authorize(pinterest, c, BOARD_WRITE);
    const { name } = await readBody<{ name: string }>(pinterest, c, ALL);
    const board = ownBoard(pinterest, caller, c.req.param("id"));
    const id = newId((taken) => store.state.sections.has(taken));
    const section = { id, boardId: board.id, name: freeSectionName(pinterest, board, name) };
    store.commit({ kind: "section", section });
    c.set("created", id);
    return c.json(toWireSection(section), 201);
  });
  app.patch("/boards/:id/sections/:section", async (c) => {
    const caller = authorize(pinterest, c, BOARD_WRITE);
    const { name } = await readBody<{ name: string }>(pinterest, c, ONE);
    const board = ownBoard(pinterest, caller, c.req.param("id"));
    const old = sectionOf(pinterest, board, c.req.param("section"));
    const section = { ...old, name: old.name === name ? name : freeSectionName(pinterest, board, name) };
    store.commit({ kind: "section", section });
    return c.json(toWireSection(section));
  });
  app.delete("/boards/:id/sections/:section", (c) => {
    const caller = authorize(pinterest, c, BOARD_WRITE);
    const board = ownBoard(pinterest, caller, c.req.param("id"));
    store.commit({ kind: "sectionRemoved", sectionId: sectionOf(pinterest, board, c.req.param("section")).id });
    return c.body(null, 204);
  });
  app.get("/boards/:id/sections/:section/pins", (c) => {
    const caller = authorize(pinterest, c, { scopes: ["boards:read", "pins:read"], category: "org_read" });
    const query = checkQuery(pinterest, c, `${ONE}/pins`);
    const board = readableBoard(pinterest, caller, c.req.param("id"));
    const section = sectionOf(pinterest, board, c.req.param("section"));
    const inSection = (store.state.pinsByBoard.get(board.id) ?? []).filter(({ sectionId }) => sectionId === section.id);
    const { items, bookmark } = paginate(listedPins(pinterest, inSection), query);
    const origin = originOf(pinterest, c);
    return c.json({ items: items.map((pin) => toWirePin(pin, store.state, origin)), bookmark });
  });
  return app;
}

function sectionsOf({ store }: Pinterest, board: Board): Section[] {
  return [...store.state.sections.values()].filter(({ boardId }) => boardId === board.id);
}

function sectionOf({ store }: Pinterest, board: Board, id: string): Section {
  const section = store.state.sections.get(id);
  if (section?.boardId !== board.id) throw new RefusedError(REFUSALS.sectionGone);
  return section;
}

function freeSectionName(pinterest: Pinterest, board: Board, name: string): string {
  const isTaken = sectionsOf(pinterest, board).some((section) => section.name === name);
  if (name.trim() === "" || isTaken) throw new RefusedError(REFUSALS.sectionInvalid);
  return name;
}

function toWireSection({ id, name }: Section): Record<string, string> {
  return { id, name };
}
