import { randomUUID } from "node:crypto";
import type { Hono } from "hono";
import { html } from "hono/html";
import { type AddressObject, type ParsedMail, simpleParser } from "mailparser";
import { parse } from "node-html-parser";
import { createStore, type Journal, type Store } from "../kit/journal.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { type Markup, PAGE_HEADERS, serveFile, sitePage } from "../kit/ui/page.ts";

/** All received messages, oldest first. */
export type Mailbox = Store<EmailMessage[], EmailMessage>;

export function openMailbox(journal: Journal<EmailMessage>): Mailbox {
  return createStore<EmailMessage[], EmailMessage>(
    journal,
    () => [],
    (messages, message) => messages.push(message),
  );
}

/** Newest first. With an address, only messages sent to it. */
export function listMessages({ state }: Mailbox, to?: string): EmailMessage[] {
  const address = to?.toLowerCase();
  return state.filter((message) => address === undefined || message.to.includes(address)).reverse();
}

export interface EmailMessage {
  id: string;
  /** Every recipient of the envelope, in lower case. */
  to: string[];
  from: string;
  /** Reply-to address; empty if it is the sender. */
  replyTo?: string;
  subject: string;
  text: string;
  /** Empty if the message has no HTML part. */
  html: string;
  /** ISO 8601, on arrival. */
  at: string;
  /** The List-Unsubscribe link, and whether one POST is enough (RFC 8058). */
  unsubscribe?: { url: string; isOneClick: boolean };
  /** Every http(s) URL in the message, in order, without duplicates. */
  links: string[];
}

/** Parses a raw message. `recipients` come from the envelope and include blind copies. */
export async function readMessage(raw: Buffer, recipients: string[], at: Date): Promise<EmailMessage> {
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

function findUnsubscribe({ headerLines }: ParsedMail): Pick<EmailMessage, "unsubscribe"> {
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
  const inHtml = parse(html)
    .querySelectorAll("[href]")
    .map((link) => link.getAttribute("href") ?? "");
  const inText = [...text.matchAll(/https?:\/\/[^\s<>"'\])]+/g)].map(([link]) => link.replace(/[.,;:!?]+$/, ""));
  return [...new Set([...inHtml, ...inText])].filter((link) => /^https?:\/\//.test(link));
}

const SHOWN_MESSAGES = 200;
const TIME = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });

/** `GET /` is the inbox (`?to=` filters it), `GET /messages/:id` one message. */
export function inboxPages(mailbox: Mailbox): Hono<StandInEnv> {
  const app = createApp();
  serveFile(app, "/__mail/inbox.css", new URL("styles/inbox.css", import.meta.url));
  app.get("/", (c) => {
    const to = c.req.query("to")?.trim() ?? "";
    return c.html(inbox(listMessages(mailbox, to === "" ? undefined : to), to), 200, PAGE_HEADERS);
  });
  app.get("/messages/:id", (c) => {
    const message = mailbox.state.find(({ id }) => id === c.req.param("id"));
    return message === undefined
      ? c.html(frame("Not found", html`<h1 class="title">Message not found</h1>`), 404, PAGE_HEADERS)
      : c.html(messagePage(message), 200, PAGE_HEADERS);
  });
  return app;
}

const frame = (title: string, body: Markup) => sitePage("Email sandbox", title, ["/__mail/inbox.css"], body, "narrow");

function inbox(messages: EmailMessage[], to: string): Markup {
  const shown = messages.slice(0, SHOWN_MESSAGES);
  return frame(
    "Inbox",
    html`
<div class="head"><h1 class="title">Inbox</h1>
<p class="muted">Every email the app sends shows up here. Nothing leaves this machine.</p></div>
<form class="find" method="get" action="/"><label for="to">Sent to</label>
<input id="to" name="to" type="email" value="${to}" placeholder="name@example.com" autocomplete="off">
<button class="btn btn-2">Show</button> ${to === "" ? "" : html`<a class="link" href="/">Show all</a>`}</form>
${shown.length === 0 ? empty(to) : html`<ul class="card list">${shown.map(row)}</ul>`}
${messages.length > shown.length ? html`<p class="muted small more">Showing the newest ${shown.length} of ${messages.length}.</p>` : ""}`,
  );
}

function row(message: EmailMessage): Markup {
  return html`
<li><a href="/messages/${message.id}"><span class="to">${message.to.join(", ")}</span>
<span class="subject">${message.subject || "No subject"}</span>
<span class="excerpt muted">${message.text.slice(0, 140)}</span> ${time(message)}</a></li>`;
}

function empty(to: string): Markup {
  return html`<div class="card empty"><span class="outline" aria-hidden="true"></span><p class="h3">No messages${to === "" ? " yet" : html` for ${to}`}</p><p class="muted small">Sign up in the app, and the verification email shows up here.</p></div>`;
}

function messagePage(message: EmailMessage): Markup {
  return frame(
    message.subject || "No subject",
    html`
<p class="up"><a class="link" href="/">Inbox</a></p>
<h1 class="title">${message.subject || "No subject"}</h1>
<dl class="about small">
  <dt>From</dt><dd>${message.from}</dd>
  <dt>To</dt><dd>${message.to.join(", ")}</dd>
  ${message.replyTo ? html`<dt>Reply to</dt><dd>${message.replyTo}</dd>` : ""}
  ${message.unsubscribe ? html`<dt>Unsubscribe</dt><dd>${message.unsubscribe.isOneClick ? "one click, " : ""}<a class="link" href="${message.unsubscribe.url}">${message.unsubscribe.url}</a></dd>` : ""}
  <dt>Received</dt><dd>${time(message)}</dd>
</dl>
${message.html === "" ? html`<pre class="card text">${message.text}</pre>` : messageFrame(message)}
${message.links.length === 0 ? "" : linkList(message.links)}`,
  );
}

/** The message can't run scripts or load anything; its links open in a new tab. */
function messageFrame(message: EmailMessage): Markup {
  const source = `<base target="_blank">${message.html}`;
  return html`
<iframe class="message" title="Message" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${source}"></iframe>
${message.text === "" ? "" : html`<details><summary>Plain text</summary><pre class="card text">${message.text}</pre></details>`}`;
}

function linkList(links: string[]): Markup {
  return html`
<section class="links" aria-labelledby="links"><h2 id="links" class="h3">Links in this message</h2>
<ul>${links.map((link) => html`<li><a class="link" href="${link}">${link}</a></li>`)}</ul></section>`;
}

function time({ at }: EmailMessage): Markup {
  return html`<time class="num muted" datetime="${at}">${TIME.format(new Date(at))} UTC</time>`;
}
