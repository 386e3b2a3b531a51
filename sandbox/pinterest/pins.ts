import type { Hono } from "hono";
import { isSimulating } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { requireSection } from "./boards.ts";
import { ApiError, ERRORS, invalidRequest } from "./errors.ts";
import { type Board, newId, type Pin } from "./model.ts";
import { type MediaSource, storeMedia } from "./pin-media.ts";
import { authorize, type Caller } from "./requests.ts";
import { originOf, type Pinterest, toWirePin } from "./wire.ts";

/** The supported fields of `PinCreate`. */
interface PinCreate {
  board_id?: string;
  board_section_id?: string | null;
  title?: string | null;
  description?: string | null;
  link?: string | null;
  alt_text?: string | null;
  dominant_color?: string | null;
  media_source?: MediaSource;
  ai_disclosures?: { values: string[] } | null;
}

/**
 * Publishes a pin: validates the request as Pinterest would, stores the image, then the pin.
 * @throws ApiError with the documented code.
 */
function createPin(
  pinterest: Pinterest,
  caller: Caller,
  { query, text, isRewriting }: { query: Record<string, string>; text: string; isRewriting: boolean },
): Pin {
  const { access, environment } = pinterest.settings;
  if (access === "trial" && environment === "production") throw new ApiError(ERRORS.trialAccess);
  const request = readRequest(pinterest, query, text);
  const { title = null, description = null, link = null, alt_text = null } = request;
  const board = writableBoard(pinterest, caller, request.board_id);
  const section = request.board_section_id ? requireSection(board, request.board_section_id) : null;
  if (link !== null && !/^https?:$/.test(URL.parse(link)?.protocol ?? "")) throw new ApiError(ERRORS.linkInvalid);
  if (request.media_source === undefined) {
    throw new ApiError(invalidRequest("body must have required property 'media_source'"));
  }
  const id = newId((taken) => pinterest.store.state.pins.has(taken));
  const media = storeMedia(pinterest, caller.account, request.media_source, id);
  const pin: Pin = {
    ...{ id, accountId: caller.account.id, boardId: board.id, title, description, link, altText: alt_text },
    boardSectionId: section?.id ?? null,
    dominantColor: request.dominant_color ?? null,
    aiDisclosures: request.ai_disclosures ?? null,
    ...media,
    createdAt: pinterest.clock.now().toISOString(),
  };
  if (isRewriting) Object.assign(pin, { title: "An idea to save", description: "Ideas from this board." });
  pinterest.store.commit({ kind: "pin", pin });
  return pin;
}

function readRequest({ spec }: Pinterest, query: Record<string, string>, text: string): PinCreate {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new ApiError(invalidRequest("body is not JSON"), { cause });
  }
  const result = spec.check("POST", "/pins", { query, body });
  if (!result.ok) throw new ApiError(invalidRequest(result.errors[0] ?? "body"));
  // Just checked against the description.
  return body as PinCreate;
}

function writableBoard({ store }: Pinterest, { account, scopes }: Caller, boardId: string | undefined): Board {
  if (boardId === undefined) throw new ApiError(invalidRequest("body must have required property 'board_id'"));
  const board = store.state.boards.get(boardId);
  if (board === undefined) throw new ApiError(ERRORS.boardNotFound);
  const isSecretToCaller = board.privacy === "SECRET" && !scopes.has("boards:write_secret");
  if (board.accountId !== account.id || isSecretToCaller) throw new ApiError(ERRORS.notPermitted);
  return board;
}

/** `POST /pins`. */
export function pinsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.post("/pins", async (c) => {
    const scopes = ["boards:read", "boards:write", "pins:read", "pins:write"];
    const caller = authorize(pinterest, c, "org_write", scopes);
    const isRewriting = isSimulating(c, "rewritten");
    const pin = createPin(pinterest, caller, { query: c.req.query(), text: await c.req.text(), isRewriting });
    c.set("created", pin.id);
    const status = isSimulating(c, "ok-instead-of-created") ? 200 : 201;
    return c.json(toWirePin(pin, pinterest.store.state, originOf(c)), status);
  });
  return app;
}
