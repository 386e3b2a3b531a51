import type { Hono } from "hono";
import { isSimulating } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { ApiError, ERRORS } from "./errors.ts";
import type { Board, Pin } from "./model.ts";
import { authorize, type Caller, checkQuery, paginate } from "./requests.ts";
import { originOf, type Pinterest, toWireAccount, toWireBoard, toWirePin } from "./wire.ts";

const COUNTS = ["board_count", "pin_count", "follower_count", "following_count", "monthly_views"];
const NULL_COUNTS = Object.fromEntries(COUNTS.map((name) => [name, null]));

/** `GET /user_account`, `GET /boards`, `GET /boards/:id/pins`. */
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
