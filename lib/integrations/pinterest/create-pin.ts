import { SECOND_MS } from "#lib/core/time.ts";
import { problemOf, type Reply, successOf } from "./http.ts";
import type { CreatePinOutcome, NewPinterestPin } from "./port.ts";
import { createdPinShape } from "./wire.ts";

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
