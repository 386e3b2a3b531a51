import type { Context, Hono } from "hono";
import { isSimulating } from "../kit/faults.ts";
import { createApp, originOf, type StandInEnv } from "../kit/serve.ts";
import { ApiError, ERRORS, invalidRequest, notSupported } from "./errors.ts";
import { type Board, newId, type Pin, type Privacy, type Section } from "./model.ts";
import { authorize, type Caller, checkQuery, paginate, readBody } from "./requests.ts";
import { type Pinterest, toWireAccount, toWireBoard, toWirePin } from "./wire.ts";

const COUNTS = ["board_count", "pin_count", "follower_count", "following_count", "monthly_views"];
const NULL_COUNTS = Object.fromEntries(COUNTS.map((name) => [name, null]));

/** `GET /user_account`, `GET|POST /boards`, `GET /boards/:id/pins`, `GET|POST /boards/:id/sections`, and a section's pins. */
export function boardsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/user_account", (c) => {
    const { account } = authorize(pinterest, c, "org_read", ["user_accounts:read"]);
    checkQuery(pinterest, c, "/user_account");
    const shown = toWireAccount(account, pinterest.store.state);
    return c.json(isSimulating(c, "null-counts") ? { ...shown, ...NULL_COUNTS } : shown);
  });
  app.get("/boards", (c) => {
    const caller = authorize(pinterest, c, "org_read", ["boards:read"]);
    const query = checkQuery(pinterest, c, "/boards");
    if (query.privacy !== undefined) throw new ApiError(notSupported("GET /boards with privacy"));
    const { items, bookmark } = paginate(caller.account.boards, query, isSimulating(c, "short-pages") ? 0.5 : 1);
    // Secret boards are removed after paging, so a short page may still have a next one.
    const visible = items.filter(({ privacy }) => privacy !== "SECRET" || canReadSecret(caller));
    return c.json({ items: visible.map((board) => toWireBoard(board, pinterest.store.state)), bookmark });
  });
  app.post("/boards", async (c) => {
    const caller = authorize(pinterest, c, "org_write", ["boards:read", "boards:write"]);
    const board = createBoard(pinterest, caller, await readBody(pinterest, c, "/boards"));
    return c.json(toWireBoard(board, pinterest.store.state), 201);
  });
  app.get("/boards/:id/pins", (c) => {
    const caller = authorize(pinterest, c, "org_read", ["boards:read", "pins:read"]);
    const query = checkQuery(pinterest, c, "/boards/{board_id}/pins");
    const board = readableBoard(pinterest, caller, c.req.param("id"));
    return c.json(pinsPage(pinterest, c, listPins(pinterest, board, null), query));
  });
  app.get("/boards/:id/sections", (c) => {
    const caller = authorize(pinterest, c, "org_read", ["boards:read"]);
    const query = checkQuery(pinterest, c, "/boards/{board_id}/sections");
    const { sections = [] } = readableBoard(pinterest, caller, c.req.param("id"));
    return c.json(paginate(sections, query));
  });
  app.post("/boards/:id/sections", async (c) => {
    const caller = authorize(pinterest, c, "org_write", ["boards:read", "boards:write"]);
    const board = readableBoard(pinterest, caller, c.req.param("id"));
    return c.json(createSection(pinterest, board, await readBody(pinterest, c, "/boards/{board_id}/sections")), 201);
  });
  app.get("/boards/:id/sections/:section/pins", (c) => {
    const caller = authorize(pinterest, c, "org_read", ["boards:read", "pins:read"]);
    const query = checkQuery(pinterest, c, "/boards/{board_id}/sections/{section_id}/pins");
    const board = readableBoard(pinterest, caller, c.req.param("id"));
    const section = requireSection(board, c.req.param("section"));
    return c.json(pinsPage(pinterest, c, listPins(pinterest, board, section.id), query));
  });
  return app;
}

function pinsPage(pinterest: Pinterest, c: Context<StandInEnv>, pins: Pin[], query: Record<string, string>) {
  const { items, bookmark } = paginate(pins, query);
  const origin = originOf(c);
  return { items: items.map((pin) => toWirePin(pin, pinterest.store.state, origin)), bookmark };
}

/** @throws ApiError 400 for an empty name */
function createSection(pinterest: Pinterest, board: Board, { name }: { name: string }): Section {
  if (name.trim() === "") throw new ApiError(ERRORS.sectionInvalid);
  const ids = new Set(
    [...pinterest.store.state.boards.values()].flatMap(({ sections = [] }) => sections.map(({ id }) => id)),
  );
  const section = { id: newId((taken) => ids.has(taken)), name };
  pinterest.store.append({ kind: "section", boardId: board.id, section });
  return section;
}

/** @throws ApiError 404/2031 */
export function requireSection({ sections = [] }: Board, sectionId: string): Section {
  const section = sections.find(({ id }) => id === sectionId);
  if (section === undefined) throw new ApiError(ERRORS.sectionNotFound);
  return section;
}

/** What `BoardCreate` has, as far as this stand-in supports it. */
interface BoardCreate {
  name: string;
  description?: string | null;
  privacy?: Privacy;
}

/** @throws ApiError 400 for an empty name; 403 for a secret one without the scope */
function createBoard({ store, clock }: Pinterest, caller: Caller, body: BoardCreate): Board {
  const { name, description = null, privacy = "PUBLIC" } = body;
  if (name.trim() === "") throw new ApiError(invalidRequest("body/name must NOT be empty"));
  if (privacy === "SECRET" && !caller.scopes.has("boards:write_secret")) throw new ApiError(ERRORS.notPermitted);
  const id = newId((taken) => store.state.boards.has(taken));
  const board: Board = {
    ...{ id, accountId: caller.account.id, name, description, privacy },
    ...{ followers: 0, earlierPins: 0, createdAt: clock.now().toISOString() },
  };
  store.append({ kind: "board", board });
  return board;
}

/** Newest first; excludes pins younger than the listing lag. A board's own list leaves out what is in a section. */
function listPins({ store, clock, settings }: Pinterest, board: Board, sectionId: string | null): Pin[] {
  const newestListed = new Date(clock.now().getTime() - settings.listingLagSeconds * 1000).toISOString();
  const isListed = ({ createdAt }: Pin) => settings.listingLagSeconds === 0 || createdAt <= newestListed;
  const isHere = ({ boardSectionId = null }: Pin) => boardSectionId === sectionId;
  return (store.state.pinsByBoard.get(board.id) ?? []).filter((pin) => isHere(pin) && isListed(pin)).reverse();
}

/** A board the caller may read. @throws ApiError 404/40 for hidden and missing boards, 403/29 for another account's. */
function readableBoard({ store }: Pinterest, caller: Caller, id: string): Board {
  const board = store.state.boards.get(id);
  const isOwn = board?.accountId === caller.account.id;
  const isHidden = board?.privacy === "SECRET" && !(isOwn && canReadSecret(caller));
  if (board === undefined || isHidden) throw new ApiError(ERRORS.boardNotFound);
  if (!isOwn) throw new ApiError(ERRORS.notPermitted);
  return board;
}

function canReadSecret({ scopes }: Caller): boolean {
  return scopes.has("boards:read_secret");
}
