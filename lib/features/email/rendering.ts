import "server-only";
import type { Ctx } from "#lib/context.ts";
import { signText } from "#lib/core/crypto.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { MutableEmail } from "./constants.ts";
import { type EmailAction, type EmailCopy, emailCopyOf } from "./policy.ts";
import type { EmailContent } from "./schema.ts";
import { weeklyCopy } from "./weekly.ts";

/** Derived, so a re-sent email has the same link and nothing is stored. */
export const makeToken = (ctx: Pick<Ctx, "settings">, seed: string): string => signText(ctx.settings.tokenSecret, seed);

interface UnsubscribeOffer {
  claim: string;
  seed: string;
}

/** Works without a login (RFC 8058). */
export const unsubscribeOffer = (userId: UserId, kinds: readonly MutableEmail[]): UnsubscribeOffer => {
  const claim = [userId, ...kinds].join(".");
  return { claim, seed: `unsubscribe:${claim}` };
};

interface Rendered {
  subject: string;
  text: string;
  html: string;
  unsubscribeUrl?: string;
}

type List = NonNullable<EmailCopy["lists"]>[number];

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

const actionText = ({ label, link }: EmailAction): string => `${label}:\n${link}`;

const listText = ({ heading, items, rest, action }: List): string =>
  [
    oneLine(heading),
    ...items.map(({ name, detail }) => `* ${oneLine(name)}\n  ${oneLine(detail)}`),
    ...(rest ? [rest] : []),
    actionText(action),
  ].join("\n");

const toText = (
  { paragraphs, lists, action, quote, note }: EmailCopy,
  footer: string,
  footerLinks: readonly EmailAction[],
): string =>
  [
    ...paragraphs.map(oneLine),
    ...(lists ?? []).map(listText),
    ...(action ? [actionText(action)] : []),
    ...(quote ? [quote.about.map(({ label, value }) => `${label}: ${oneLine(value)}`).join("\n"), quote.text] : []),
    ...(note ? [oneLine(note)] : []),
    `-- \n${[footer, ...footerLinks.map(({ label, link }) => `${label}: ${link}`)].join("\n")}`,
  ].join("\n\n");

// Email clients support neither CSS variables nor our fonts.
const STYLE = `body{margin:0;background:#faf7f1;color:#19251e}
.card{background:#fefdf9;border:1px solid #e4dfd4}.brand,.tack{color:#1c543a}.soft{color:#464e46}.quiet{color:#63685e}
.quote{background:#f4f1e8;border-left:3px solid #95d0b0}.button{background:#1c543a;color:#fefdf9}
@media (prefers-color-scheme:dark){body{background:#101a15!important;color:#f4f1e8!important}
.card{background:#18231d!important;border-color:#2d3932!important}.brand,.tack{color:#95d0b0!important}.soft{color:#d2cdc0!important}.quiet{color:#adab9f!important}
.quote{background:#202c25!important;border-left-color:#44926c!important}.button{background:#95d0b0!important;color:#08140e!important}}`;

const SANS = "font-family:ui-sans-serif,system-ui,'Segoe UI',Roboto,'Helvetica Neue',sans-serif";
const SERIF = "font-family:'Iowan Old Style','Palatino Linotype',Palatino,Georgia,serif";

const paragraphHtml = (text: string): string =>
  `<p class="soft" style="margin:0 0 14px;font-size:16px;line-height:1.6">${escapeHtml(oneLine(text))}</p>`;

const actionHtml = ({ label, link }: EmailAction): string =>
  `<p style="margin:26px 0"><a class="button" href="${escapeHtml(link)}" style="display:inline-block;padding:13px 22px;border-radius:9px;background:#1c543a;color:#fefdf9;text-decoration:none;font-size:15px;font-weight:600">${escapeHtml(label)}</a></p>
<p class="quiet" style="margin:0 0 14px;font-size:13px;line-height:1.5;word-break:break-all">${escapeHtml(link)}</p>`;

const itemHtml = ({ name, detail }: List["items"][number]): string =>
  `<li style="margin:0 0 10px;font-size:15px;line-height:1.5;overflow-wrap:anywhere"><b>${escapeHtml(oneLine(name))}</b><br><span class="soft">${escapeHtml(oneLine(detail))}</span></li>`;

const listHtml = ({ heading, items, rest, action }: List): string =>
  `<h2 style="margin:24px 0 10px;font-size:17px;line-height:1.4;font-weight:600">${escapeHtml(oneLine(heading))}</h2>
<ul style="margin:0 0 10px;padding:0 0 0 20px">${items.map(itemHtml).join("\n")}</ul>
${rest ? `<p class="quiet" style="margin:0 0 10px;font-size:14px">${escapeHtml(rest)}</p>` : ""}
<p style="margin:0 0 14px;font-size:15px"><a class="brand" href="${escapeHtml(action.link)}" style="color:#1c543a;font-weight:600">${escapeHtml(action.label)}</a></p>`;

const footHtml = ({ label, link }: EmailAction): string =>
  `<br><a class="quiet" href="${escapeHtml(link)}" style="color:inherit">${escapeHtml(label)}</a>`;

const quoteHtml = ({ about, text }: NonNullable<EmailCopy["quote"]>): string =>
  `${about.map(({ label, value }) => `<p style="margin:0 0 4px;font-size:15px;line-height:1.5"><span class="quiet">${escapeHtml(label)}:</span> ${escapeHtml(oneLine(value))}</p>`).join("\n")}
<div class="quote" style="margin:16px 0 14px;padding:14px 16px;font-size:15px;line-height:1.6;white-space:pre-wrap;overflow-wrap:anywhere">${escapeHtml(text)}</div>`;

const toHtml = (
  copy: EmailCopy,
  productName: string,
  footer: string,
  footerLinks: readonly EmailAction[],
): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(copy.subject)}</title><style>${STYLE}</style></head>
<body style="margin:0;${SANS}">
<div style="max-width:540px;margin:0 auto;padding:36px 20px">
<p class="brand" style="margin:0 0 18px;font-size:21px;${SERIF}"><span class="tack" aria-hidden="true">&#9679;</span> ${escapeHtml(productName)}</p>
<div class="card" style="border-radius:14px;padding:30px 28px 18px">
<h1 style="margin:0 0 18px;font-size:27px;line-height:1.2;font-weight:400;letter-spacing:-.01em;${SERIF}">${escapeHtml(copy.heading)}</h1>
${copy.paragraphs.map(paragraphHtml).join("\n")}
${(copy.lists ?? []).map(listHtml).join("\n")}
${copy.action ? actionHtml(copy.action) : ""}${copy.quote ? quoteHtml(copy.quote) : ""}
${copy.note ? `<p class="quiet" style="margin:18px 0 14px;font-size:14px;line-height:1.5">${escapeHtml(oneLine(copy.note))}</p>` : ""}
</div>
<p class="quiet" style="margin:18px 0 0;font-size:13px;line-height:1.5">${escapeHtml(footer)}${footerLinks.map(footHtml).join("")}</p>
</div></body></html>`;

const unsubscribeFooter = (
  ctx: Pick<Ctx, "settings">,
  content: EmailContent,
): { footerLinks: EmailAction[]; unsubscribeUrl?: string } => {
  if (!("unsubscribe" in content) || !content.unsubscribe) return { footerLinks: [] };
  const { appUrl } = ctx.settings;
  const token = `${content.unsubscribe.claim}.${makeToken(ctx, content.unsubscribe.seed)}`;
  const footerLinks = [
    { label: "Unsubscribe", link: `${appUrl}/unsubscribe/${token}` },
    { label: "Email preferences", link: `${appUrl}/app/settings#mails` },
  ];
  return { footerLinks, unsubscribeUrl: `${appUrl}/api/users/unsubscribe/${token}/` };
};

export const renderEmail = (ctx: Pick<Ctx, "settings">, content: EmailContent): Rendered => {
  const { appUrl, productName, supportEmail } = ctx.settings;
  const link = "link" in content ? `${appUrl}${content.link.path}${makeToken(ctx, content.link.seed)}` : "";
  const sender = { appUrl, productName, supportEmail };
  const copy = content.kind === "weekly_results" ? weeklyCopy(content, sender) : emailCopyOf(content, sender, link);
  const subject = oneLine(copy.subject);
  const footer = `${productName} · ${supportEmail}`;
  const { footerLinks, ...offer } = unsubscribeFooter(ctx, content);
  const html = toHtml({ ...copy, subject }, productName, footer, footerLinks);
  return { subject, text: `${toText(copy, footer, footerLinks)}\n`, html, ...offer };
};
