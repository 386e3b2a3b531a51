import { randomUUID } from "node:crypto";
import { type AddressObject, type ParsedMail, simpleParser } from "mailparser";

/** A caught message. */
export interface MailMessage {
  id: string;
  /** Every recipient of the envelope, lower case. */
  to: string[];
  from: string;
  /** Whom an answer goes to; empty when that is who it is from. */
  replyTo?: string;
  subject: string;
  text: string;
  /** Empty when the message has no HTML part. */
  html: string;
  /** ISO 8601, when it arrived. */
  at: string;
  /** Where a mail program switches such mails off, and whether one POST does it without asking (RFC 8058). */
  unsubscribe?: { url: string; isOneClick: boolean };
  /** Every http(s) address in the message, in order, each once. */
  links: string[];
}

/** Reads a raw message. `recipients` are the envelope's, which also names blind copies. */
export async function readMessage(raw: Buffer, recipients: string[], at: Date): Promise<MailMessage> {
  const parsed = await simpleParser(raw, { skipImageLinks: true });
  const html = parsed.html === false ? "" : parsed.html;
  const text = parsed.text ?? "";
  return {
    id: randomUUID(),
    to: [...new Set([...recipients, ...addresses(parsed)])].map((address) => address.toLowerCase()),
    from: parsed.from?.text ?? "",
    replyTo: parsed.replyTo?.text ?? "",
    subject: parsed.subject ?? "",
    text,
    html,
    at: at.toISOString(),
    ...findUnsubscribe(parsed),
    links: findLinks(html, text),
  };
}

function findUnsubscribe({ headerLines }: ParsedMail): Pick<MailMessage, "unsubscribe"> {
  const lineOf = (key: string) => headerLines.find((line) => line.key === key)?.line.replace(/\r?\n\s+/g, " ") ?? "";
  const url = /<(https?:[^>]+)>/.exec(lineOf("list-unsubscribe"))?.[1];
  const isOneClick = /:\s*List-Unsubscribe=One-Click\s*$/i.test(lineOf("list-unsubscribe-post"));
  return url === undefined ? {} : { unsubscribe: { url, isOneClick } };
}

function addresses(parsed: ParsedMail): string[] {
  const lists: AddressObject[] = [parsed.to ?? [], parsed.cc ?? []].flat();
  return lists.flatMap(({ value }) => value.flatMap(({ address }) => (address === undefined ? [] : [address])));
}

function findLinks(html: string, text: string): string[] {
  const inHtml = [...html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(([, a, b]) => decode(a ?? b ?? ""));
  const inText = [...text.matchAll(/https?:\/\/[^\s<>"'\])]+/g)].map(([link]) => link.replace(/[.,;:!?]+$/, ""));
  return [...new Set([...inHtml, ...inText])].filter((link) => /^https?:\/\//.test(link));
}

/** The references that can stand in an address. */
function decode(attribute: string): string {
  return attribute
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
