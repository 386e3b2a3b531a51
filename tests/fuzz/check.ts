import { ERRORS } from "#lib/core/errors.ts";
import { measureSlowness } from "#scripts/machine-speed.ts";
import type { SurfaceUser } from "#tests/support/surface-users.ts";
import { toSpecPath, undocumented } from "#tests/support/v1-spec.ts";
import type { FuzzRequest } from "./request.ts";
import type { FuzzAnswer } from "./send.ts";

/** A 5xx that the API guide documents, and that a request may cause although nothing is broken. */
interface Documented {
  label: string;
  status: number;
  code: string;
  why: string;
}

/** With healthy providers, no other request may fail on our side. */
const DOCUMENTED_FAILURES: readonly Documented[] = [
  {
    label: "POST /api/users/payments/[id]/receipt",
    status: 502,
    code: "provider_failed",
    why: "The provider does not know the payments that fixtures insert.",
  },
  {
    label: "ACTION previewTextAction",
    status: 200,
    code: "provider_failed",
    why: "The stand-in repeats the keyword; one that contains a URL is no text for a pin, twice.",
  },
];

/** The longest time that a response may take. */
const SLOW_MS = 2_000;
const SLOW = "slow: ";

interface Judged {
  answer: FuzzAnswer;
  problem: string;
}

/**
 * Without what a slower machine excuses. Only after the last response: measuring the machine takes seconds, in which
 * this process reads nothing.
 */
export const withoutExcused = <F extends Judged>(failures: readonly F[]): F[] => {
  const isSlow = ({ problem }: Judged): boolean => problem.startsWith(SLOW);
  if (!failures.some(isSlow)) return [...failures];
  const most = SLOW_MS * measureSlowness();
  return failures.filter((one) => !isSlow(one) || one.answer.ms > most);
};

/** Internals that no response may contain. */
const INTERNALS = [
  /node_modules\//,
  /^\s+at .+:\d+:\d+\)?$/m,
  /PostgresError|DrizzleQueryError|Failed query/,
  /syntax error at or near|violates [\w-]+ constraint|invalid input syntax for/,
  /\b(?:select|insert into|update|delete from) \\?"[a-z_]+\\?"/,
];

/** Failures that React and our actions report in a response with another status. */
const HIDDEN_FAILURES = [
  /"code":"(?:internal|provider_failed|provider_unavailable|busy)"/,
  /data-dgst="\d/,
  // Of a tool of the MCP server, and of its protocol.
  /"text":"(?:internal|provider_failed|provider_unavailable|busy): /,
  /"code":-32603\b/,
];
/** Of an error that was thrown. Actions catch theirs; there it is Next's, about arguments that it could not decode. */
const DIGEST = /"digest\\?":\\?"\d+/;

const codeIn = (text: string): string => /"code":"(\w+)"/.exec(text)?.[1] ?? "";

const isDocumented = ({ label }: FuzzRequest, { status, text }: FuzzAnswer): boolean =>
  DOCUMENTED_FAILURES.some((one) => one.label === label && one.status === status && one.code === codeIn(text));

const sentText = ({ path, headers, body }: FuzzRequest): string =>
  `${path}\n${Object.values(headers).join("\n")}\n${body?.toString("utf8") ?? ""}`;

/** The other user's texts in a response to a client that did not send them. */
/** Settings shows the new address that an earlier request typed, which may be made from another user's. */
const TYPED_ADDRESS = /[\w.+-]+-new@[\w.-]+/g;

const leakedOf = (request: FuzzRequest, { text }: FuzzAnswer, other: SurfaceUser): string | undefined => {
  if (request.who === "other") return undefined;
  const shown = text.replaceAll(TYPED_ADDRESS, "");
  const leaked = other.secrets.find((secret) => shown.includes(secret));
  return leaked !== undefined && !sentText(request).includes(leaked) ? leaked : undefined;
};

const isDecodable = (path: string): boolean => {
  try {
    return decodeURI(path) !== "";
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
};

const V1 = /^(GET|POST|PATCH|DELETE) (\/api\/v1\/.+)$/;

/** Of an answer of the public API to a request with its own method and path. */
const undocumentedIn = ({ label, method, path }: FuzzRequest, answer: FuzzAnswer): string | null => {
  const [, own, pattern = ""] = V1.exec(label) ?? [];
  const parts = pattern.split("/");
  const sent = path.split(/[?#]/)[0]?.split("/") ?? [];
  const isOwn =
    parts.length === sent.length &&
    parts.every((part, at) => (part.startsWith("[") ? sent[at] !== "" : part === sent[at]));
  // Others are 404 or 405, or refused before they reach the API, such as broken percent-encoding.
  if (own !== method || !isOwn || !isDecodable(path) || !answer.headers.get("x-request-id")) return null;
  return undocumented(method, toSpecPath(pattern), answer);
};

/** What is wrong with a response; undefined if nothing is. */
export const problemOf = (request: FuzzRequest, answer: FuzzAnswer, other: SurfaceUser): string | undefined => {
  const { status, ms, text, problem } = answer;
  if (problem !== undefined) return `connection: ${problem}`;
  if (status >= 500 && !isDocumented(request, answer)) return `status ${status} ${codeIn(text)}`.trim();
  const internal = INTERNALS.map((pattern) => pattern.exec(text)?.[0]).find((found) => found !== undefined);
  if (internal !== undefined) return `internals in the response: ${internal.slice(0, 80)}`;
  if (isDocumented(request, answer)) return undefined;
  const failures = request.label.startsWith("ACTION ") ? HIDDEN_FAILURES : [...HIDDEN_FAILURES, DIGEST];
  const hidden = failures.map((pattern) => pattern.exec(text)?.[0]).find((found) => found !== undefined);
  // The reference of the API explains every error.
  const isExplained = request.label === "PAGE /developers";
  if (hidden !== undefined || (text.includes(ERRORS.internal.text) && !isExplained))
    return `a failure in the response: ${hidden ?? ""}`;
  const unknown = undocumentedIn(request, answer);
  if (unknown !== null) return unknown;
  const leaked = leakedOf(request, answer, other);
  if (leaked !== undefined) return `another user's data: ${leaked}`;
  return ms > SLOW_MS ? `${SLOW}${Math.round(ms)} ms` : undefined;
};
