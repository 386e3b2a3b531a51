import { SECOND_MS } from "#lib/core/time.ts";
import { problemOf, type Reply, readReply, send, successOf } from "./http.ts";
import type { CreatePinOutcome, NewPinterestPin, PinterestAnswer, PinterestPort } from "./port.ts";
import { boardPinsPage, boardsPage, createdPinShape, profileShape } from "./wire.ts";

/** One page of a listing; `bookmark` null on the last one. A page may be short, or empty, and still go on. */
export interface Page<T> {
  items: T[];
  bookmark: string | null;
}

/** At 250 items a page this is more than Pinterest allows a user to have. */
const MAX_PAGES = 400;

const stuck = <T>(): PinterestAnswer<T> => ({
  kind: "problem",
  problem: { kind: "unavailable", text: "Pinterest's list does not come to an end." },
});

/**
 * Reads pages until the last one, or until `isEnough` says so of a page. Items seen twice count once: a list may
 * change while it is read. A bookmark that comes again is a problem, never a silently shorter list.
 */
export const readPages = async <T extends { id: string }>(
  readPage: (bookmark: string | null) => Promise<PinterestAnswer<Page<T>>>,
  isEnough: (items: readonly T[]) => boolean = () => false,
): Promise<PinterestAnswer<T[]>> => {
  const items = new Map<string, T>();
  const seen = new Set<string>();
  let bookmark: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer: PinterestAnswer<Page<T>> = await readPage(bookmark);
    if (answer.kind === "problem") return answer;
    for (const item of answer.value.items) if (!items.has(item.id)) items.set(item.id, item);
    bookmark = answer.value.bookmark;
    if (bookmark === null || isEnough(answer.value.items)) return { kind: "ok", value: [...items.values()] };
    if (seen.has(bookmark)) return stuck();
    seen.add(bookmark);
  }
  return stuck();
};

const HELD_UP = "The request was held up on our side and was not sent again.";
const NO_LABEL_NOTE = "Pinterest did not take the AI label (ai_disclosures), so the pin was created without it.";

/**
 * A process that stood still for longer than any first answer takes sends nothing more: whoever asked for the pin may
 * have given this call up, looked, and asked for it anew.
 */
const REPEAT_WITHIN_MS = 75 * SECOND_MS;

const toBody = (pin: NewPinterestPin, withLabel: boolean): string =>
  JSON.stringify({
    board_id: pin.boardId,
    ...(pin.title !== "" && { title: pin.title }),
    ...(pin.description !== "" && { description: pin.description }),
    ...(pin.altText !== "" && { alt_text: pin.altText }),
    ...(pin.link !== null && { link: pin.link }),
    media_source: {
      source_type: "image_base64",
      content_type: "image/jpeg",
      data: Buffer.from(pin.jpeg).toString("base64"),
    },
    ...(withLabel && { ai_disclosures: { values: ["AI_MODIFIED"] } }),
  });

const toOutcome = (reply: Reply): CreatePinOutcome => {
  const success = successOf(reply);
  const created = createdPinShape.safeParse(success?.body);
  if (success && created.success) {
    return { kind: "created", pinterestPinId: created.data.id, httpStatus: success.status };
  }
  const problem = problemOf(reply);
  if (reply.kind === "silence" && reply.reason === "unsent") return { kind: "refused", problem };
  return problem.kind === "unavailable" ? { kind: "unknown", problem } : { kind: "refused", problem };
};

const isLabelRefused = (outcome: CreatePinOutcome): boolean =>
  outcome.kind === "refused" &&
  outcome.problem.httpStatus === 400 &&
  /ai_disclosures/i.test(outcome.problem.providerMessage ?? "");

/**
 * Creates a pin through `post`, which sends a body once. Timeout, network, a cut reply, 5xx and an unreadable success
 * are `unknown`: the pin may exist. Without a connection nothing was sent. A deployment that does not know the AI
 * label refuses it with 400, and so created nothing: then the same pin goes again without it, soon or not at all, with
 * a note for the receipt (BRIEF §2).
 */
export const createPinThrough = async (
  post: (body: string) => Promise<Reply>,
  pin: NewPinterestPin,
): Promise<CreatePinOutcome> => {
  const beginsMs = performance.now();
  const outcome = toOutcome(await post(toBody(pin, pin.aiModified)));
  if (!pin.aiModified || !isLabelRefused(outcome)) return outcome;
  if (performance.now() - beginsMs > REPEAT_WITHIN_MS) {
    return { kind: "refused", problem: { kind: "unavailable", text: HELD_UP } };
  }
  const unlabelled = toOutcome(await post(toBody(pin, false)));
  return unlabelled.kind === "created" ? { ...unlabelled, note: NO_LABEL_NOTE } : unlabelled;
};

const BOARDS_PER_PAGE = 250;
const PINS_PER_PAGE = 100;

const pageQuery = (pageSize: number, bookmark: string | null): string =>
  new URLSearchParams({ page_size: String(pageSize), ...(bookmark !== null && { bookmark }) }).toString();

/** The calls that only look (BRIEF §2). */
export const createReadCalls = ({
  apiUrl,
  timeoutMs,
}: {
  apiUrl: string;
  timeoutMs: number;
}): Pick<PinterestPort, "readProfile" | "listBoards" | "listBoardPinsSince"> => {
  const get = (accessToken: string, path: string): Promise<Reply> =>
    send({ method: "GET", url: `${apiUrl}${path}`, headers: { authorization: `Bearer ${accessToken}` }, timeoutMs });

  return {
    readProfile: async (accessToken) => readReply(await get(accessToken, "/user_account"), profileShape),
    listBoards: (accessToken) =>
      readPages(async (bookmark) =>
        readReply(await get(accessToken, `/boards?${pageQuery(BOARDS_PER_PAGE, bookmark)}`), boardsPage),
      ),
    listBoardPinsSince: async (accessToken, boardId, since) => {
      const path = `/boards/${encodeURIComponent(boardId)}/pins`;
      const answer = await readPages(
        async (bookmark) =>
          readReply(await get(accessToken, `${path}?${pageQuery(PINS_PER_PAGE, bookmark)}`), boardPinsPage),
        // A whole page of older pins: one old pin alone may stand out of order.
        (pins) => pins.length > 0 && pins.every((pin) => pin.createdAt < since),
      );
      if (answer.kind === "problem") return answer;
      return { kind: "ok", value: answer.value.filter((pin) => pin.createdAt >= since) };
    },
  };
};
