import Link from "next/link";
import { SCOPE_TEXTS } from "#lib/features/api-keys/constants.ts";
import { CodeBlock } from "./code-block.tsx";

type QuickStartProps = { appUrl: string; examples: readonly { name: string; code: string }[] };

const CODE = "font-mono text-sm";

/** The same small program in several languages. */
export function QuickStart({ appUrl, examples }: QuickStartProps) {
  return (
    <section aria-labelledby="quick-start">
      <h2 id="quick-start" className="title-2">
        Quick start
      </h2>
      <p className="mt-3 max-w-[62ch] text-pretty text-ink-2">
        Create a key in{" "}
        <Link className="link" href="/app/settings/api-keys">
          Settings, API keys
        </Link>
        , and set it as <code className={CODE}>API_KEY</code>. Set <code className={CODE}>API_URL</code> to{" "}
        <code className={CODE}>{`${appUrl}/api/v1`}</code>. Each program below generates a draft for a keyword, which
        costs credits. Drafts are never published automatically.
      </p>
      <p className="mt-3 max-w-[62ch] text-pretty text-ink-2">
        The TypeScript and Python programs use your first account and its first board, and wait for the draft. For curl,
        set <code className={CODE}>ACCOUNT_ID</code> and <code className={CODE}>BOARD_ID</code> to the id of an account
        and a board in the first two responses.
      </p>
      <div className="mt-5 grid gap-6">
        {examples.map(({ name, code }) => (
          <div key={name} className="min-w-0">
            <h3 className="mb-2 text-sm font-semibold">{name}</h3>
            <CodeBlock label={`${name} example`}>{code}</CodeBlock>
          </div>
        ))}
      </div>
    </section>
  );
}

const RULES = [
  [
    "Authentication",
    "Send your key in every call: Authorization: Bearer evertack_…. Keys work at /api/v1 and /api/mcp only. They can’t reach payments, passwords, email changes, account deletion, or other keys.",
  ],
  [
    "Pages",
    "Lists return up to limit entries and next_cursor. Pass it as cursor to get the next page; it’s null on the last one. The Link header has the next page’s URL.",
  ],
  [
    "Safe retries",
    "Send an Idempotency-Key with a write. For 24 hours after it succeeded, the same request with the same key gets the first response, with the header Idempotency-Replayed: true. Using a key again for a different request returns 422, and retrying while the first request is running returns 409. If our server crashed midway, a retry returns the drafts, generations, webhooks, and secrets that were already created. For other writes it may say that the pin is already in the new state, and a test event or a replayed delivery may be sent again. Uploads ignore the key, because the same file gives the same ID.",
  ],
  ["Unchanged responses", "Reads have an ETag. Send it as If-None-Match to get 304 instead of the same response."],
  [
    "Limits",
    "RateLimit-Limit, RateLimit-Remaining, and RateLimit-Reset (seconds) show what is left. A 429 has Retry-After. All your keys share your account’s limits.",
  ],
  [
    "Input",
    "Bodies are JSON. Unknown fields and parameters are rejected, with their names in errors. Times have an offset; responses are in UTC.",
  ],
] as const;

/** What holds for every call. */
export function Rules() {
  return (
    <section aria-labelledby="rules">
      <h2 id="rules" className="title-2">
        How every call works
      </h2>
      <dl className="mt-4 grid max-w-[70ch]">
        {RULES.map(([title, text]) => (
          <div key={title} className="border-t border-line py-4 first:border-t-0">
            <dt className="font-semibold">{title}</dt>
            <dd className="mt-1 text-pretty text-ink-2">{text}</dd>
          </div>
        ))}
        <div className="border-t border-line py-4">
          <dt className="font-semibold">Scopes</dt>
          <dd className="mt-1">
            <ul className="grid gap-1.5">
              {Object.entries(SCOPE_TEXTS).map(([scope, text]) => (
                <li key={scope} className="text-ink-2">
                  <code className="font-mono text-sm text-ink">{scope}</code>: {text}
                </li>
              ))}
            </ul>
          </dd>
        </div>
      </dl>
    </section>
  );
}

type ErrorListProps = { errors: readonly { code: string; status: number; retry: boolean; text: string }[] };

/** The errors of the API; each problem's `type` leads here. */
export function ErrorList({ errors }: ErrorListProps) {
  return (
    <section aria-labelledby="errors">
      <h2 id="errors" className="title-2">
        Errors
      </h2>
      <p className="mt-3 max-w-[62ch] text-pretty text-ink-2">
        Errors are problem details (RFC 9457). Show detail to people, and check code in your program. There are also
        type, title, status, request_id, and errors with field and detail.
      </p>
      <dl className="mt-4 grid max-w-[70ch]">
        {errors.map(({ code, status, retry, text }) => (
          <div key={code} id={code} className="scroll-mt-6 border-t border-line py-3">
            <dt>
              <code className="font-mono text-sm">{code}</code> <span className="num text-sm text-ink-3">{status}</span>
            </dt>
            <dd className="mt-0.5 text-sm text-pretty text-ink-2">
              {text} {retry && "You can try again."}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

type AssistantsProps = { appUrl: string };

/** How to connect an assistant. */
export function Assistants({ appUrl }: AssistantsProps) {
  const settings = { url: `${appUrl}/api/mcp`, headers: { Authorization: "Bearer evertack_…" } };
  return (
    <section aria-labelledby="assistants">
      <h2 id="assistants" className="title-2">
        Assistants
      </h2>
      <p className="mt-3 max-w-[62ch] text-pretty text-ink-2">
        Assistants that support the Model Context Protocol (MCP) can search pins and results, draft pins, and propose a
        schedule. They can’t schedule or publish pins. You review and confirm each one.
      </p>
      <p className="mt-3 max-w-[62ch] text-pretty text-ink-2">
        Add the address <code className="font-mono text-sm">{`${appUrl}/api/mcp`}</code> to your assistant. It opens a
        page where you choose what it may do and how many credits it may spend in a day. Assistants that can’t do that
        take an API key with a daily limit of credits:
      </p>
      <div className="mt-5 max-w-[70ch]">
        <CodeBlock label="Assistant settings">{JSON.stringify({ mcpServers: { pins: settings } }, null, 2)}</CodeBlock>
      </div>
    </section>
  );
}
