import type { Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import type { Board, Pin } from "./model.ts";
import { REFUSALS, RefusedError } from "./refusals.ts";
import { authorize, type Caller, checkQuery, paginate } from "./requests.ts";
import { originOf, type Pinterest, toWireAccount, toWireBoard, toWirePin } from "./wire.ts";

const COUNTS = ["board_count", "pin_count", "follower_count", "following_count", "monthly_views"];
const NO_COUNTS = Object.fromEntries(COUNTS.map((name) => [name, null]));

/** `GET /user_account`, `GET /boards`, `GET /boards/:id/pins`. */
export function boardsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.get("/user_account", (c) => {
    const { account } = authorize(pinterest, c, "org_read", ["user_accounts:read"]);
    checkQuery(pinterest, c, "/user_account");
    const shown = toWireAccount(account, pinterest.store.state);
    return c.json(isPlaying(c, "null-counts") ? { ...shown, ...NO_COUNTS } : shown);
  });
  app.get("/boards", (c) => {
    const caller = authorize(pinterest, c, "org_read", ["boards:read"]);
    const query = checkQuery(pinterest, c, "/boards");
    const { items, bookmark } = paginate(
      filterBoards(caller, query.privacy),
      query,
      isPlaying(c, "short-pages") ? 0.5 : 1,
    );
    // Secret boards are left out after the page is cut, so a page may be short and still go on.
    const visible = items.filter(({ privacy }) => privacy !== "SECRET" || seesSecret(caller));
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

/** Newest first; a pin younger than the listing lag is not there yet. */
function listPins({ store, clock, settings }: Pinterest, board: Board): Pin[] {
  const newestListed = new Date(clock.now().getTime() - settings.listingLagSeconds * 1000).toISOString();
  const isListed = ({ createdAt }: Pin) => settings.listingLagSeconds === 0 || createdAt <= newestListed;
  return (store.state.pinsByBoard.get(board.id) ?? []).filter(isListed).reverse();
}

function filterBoards(caller: Caller, filter = "ALL"): Board[] {
  if (filter === "SECRET" && !seesSecret(caller)) throw new RefusedError(REFUSALS.notPermitted);
  return caller.account.boards.filter(({ privacy }) => {
    if (filter === "ALL") return true;
    return filter === "PUBLIC_AND_SECRET" ? privacy !== "PROTECTED" : privacy === filter;
  });
}

/** A board the caller may read. @throws RefusedError 404/40 for hidden and missing ones, 403/29 for another's. */
function readableBoard({ store }: Pinterest, caller: Caller, id: string): Board {
  const board = store.state.boards.get(id);
  const isOwn = board?.accountId === caller.account.id;
  const isHidden = board?.privacy === "SECRET" && !(isOwn && seesSecret(caller));
  if (board === undefined || isHidden) throw new RefusedError(REFUSALS.boardGone);
  if (!isOwn) throw new RefusedError(REFUSALS.notPermitted);
  return board;
}

function seesSecret({ scopes }: Caller): boolean {
  return scopes.has("boards:read_secret");
}
