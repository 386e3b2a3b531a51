import type { Context, Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { authorize, type Caller } from "./authorize.ts";
import type { Pinterest } from "./context.ts";
import { parseJson } from "./json-body.ts";
import type { Board, Privacy } from "./model.ts";
import { newId } from "./new-id.ts";
import { invalidRequest, REFUSALS, RefusedError } from "./refusals.ts";
import { toWireBoard } from "./wire.ts";

/** The scopes and the category of everything that changes boards and their sections. */
export const BOARD_WRITE = { scopes: ["boards:read", "boards:write"], category: "org_write" } as const;

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
export function ownBoard({ store }: Pinterest, { account, scopes }: Caller, id: string): Board {
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
