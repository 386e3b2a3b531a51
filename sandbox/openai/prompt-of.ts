import { isJsonObject, type JsonObject } from "./request-check.ts";

/** The words a call is about: an image's `prompt`, or the last user text of `messages` or `input`. Empty without. */
export function promptOf(body: JsonObject): string {
  if (typeof body.prompt === "string") return body.prompt;
  if (typeof body.input === "string") return body.input.trim();
  return lastUserText(body.messages ?? body.input);
}

/** The text of the last message with the role `user`; empty when there is none. */
export function lastUserText(messages: unknown): string {
  const list = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  const last = list.findLast(({ role }) => role === "user");
  return last ? textOf(last.content) : "";
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content.trim();
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const texts = parts.map(({ text }) => text).filter((text) => typeof text === "string");
  return texts.join("\n").trim();
}
