import type { Hono } from "hono";
import { isSimulating } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { ApiError, ERRORS, invalidRequest } from "./errors.ts";
import { type Board, newId, type Pin, type Privacy } from "./model.ts";
import { authorize, type Caller, checkQuery, paginate } from "./requests.ts";
import { originOf, type Pinterest, toWireAccount, toWireBoard, toWirePin } from "./wire.ts";

const COUNTS = ["board_count", "pin_count", "follower_count", "following_count", "monthly_views"];
const NULL_COUNTS = Object.fromEntries(COUNTS.map((name) => [name, null]));

/** `GET /user_account`, `GET /boards`, `POST /boards`, `GET /boards/:id/pins`. */
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
    const { items, bookmark } = paginate(
      filterBoards(caller, query.privacy),
      query,
      isSimulating(c, "short-pages") ? 0.5 : 1,
    );
    // Secret boards are removed after paging, so a short page may still have a next one.
    const visible = items.filter(({ privacy }) => privacy !== "SECRET" || canReadSecret(caller));
    return c.json({ items: visible.map((board) => toWireBoard(board, pinterest.store.state)), bookmark });
  });
  app.post("/boards", async (c) => {
    const caller = authorize(pinterest, c, "org_write", ["boards:read", "boards:write"]);
    const board = createBoard(pinterest, caller, c.req.query(), await c.req.text());
    return c.json(toWireBoard(board, pinterest.store.state), 201);
  });
  app.get("/boards/:id/pins", (c) => {
    const caller = authorize(pinterest, c, "org_read", ["boards:read", "pins:read"]);
    const query = checkQuery(pinterest, c, "/boards/{board_id}/pins");
    const { items, bookmark } = paginate(
      listPins(pinterest, readableBoard(pinterest, caller, c.req.param("id"))),
      query,
    );
    const origin = originOf(c);
    return c.json({ items: items.map((pin) => toWirePin(pin, pinterest.store.state, origin)), bookmark });
  });
  return app;
}

/** What `BoardCreate` has, as far as this stand-in supports it. */
interface BoardCreate {
  name: string;
  description?: string | null;
  privacy?: Privacy;
}

/** @throws ApiError 400 for what the description rejects, and for an empty name; 403 for a secret one without the scope */
function createBoard(pinterest: Pinterest, caller: Caller, query: Record<string, string>, text: string): Board {
  const { store, clock } = pinterest;
  const { name, description = null, privacy = "PUBLIC" } = readBoard(pinterest, query, text);
  if (name.trim() === "") throw new ApiError(invalidRequest("body/name must NOT be empty"));
  if (privacy === "SECRET" && !caller.scopes.has("boards:write_secret")) throw new ApiError(ERRORS.notPermitted);
  const board: Board = {
    ...{
      id: newId((taken) => store.state.boards.has(taken)),
      accountId: caller.account.id,
      name,
      description,
      privacy,
    },
    ...{ followers: 0, earlierPins: 0, createdAt: clock.now().toISOString() },
  };
  store.commit({ kind: "board", board });
  return board;
}

function readBoard({ spec }: Pinterest, query: Record<string, string>, text: string): BoardCreate {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new ApiError(invalidRequest("body is not JSON"), { cause });
  }
  const result = spec.check("POST", "/boards", { query, body });
  if (!result.ok) throw new ApiError(invalidRequest(result.errors[0] ?? "body"));
  // Just checked against the description.
  return body as BoardCreate;
}

/** Newest first; excludes pins younger than the listing lag. */
function listPins({ store, clock, settings }: Pinterest, board: Board): Pin[] {
  const newestListed = new Date(clock.now().getTime() - settings.listingLagSeconds * 1000).toISOString();
  const isListed = ({ createdAt }: Pin) => settings.listingLagSeconds === 0 || createdAt <= newestListed;
  return (store.state.pinsByBoard.get(board.id) ?? []).filter(isListed).reverse();
}

function filterBoards(caller: Caller, filter = "ALL"): Board[] {
  if (filter === "SECRET" && !canReadSecret(caller)) throw new ApiError(ERRORS.notPermitted);
  return caller.account.boards.filter(({ privacy }) => {
    if (filter === "ALL") return true;
    return filter === "PUBLIC_AND_SECRET" ? privacy !== "PROTECTED" : privacy === filter;
  });
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
