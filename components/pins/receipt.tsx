"use client";

import { callAction } from "#lib/client/call-action.ts";
import { useCall } from "#lib/client/use-call.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { readPostAction } from "#lib/features/pins/actions.ts";
import type { AttemptWire, PostWire, ReceiptWire } from "#lib/features/pins/schema.ts";

const OUTCOMES: Record<string, string> = {
  created: "Published",
  found: "Published, found on the board",
  absent: "Not on the board: one more attempt follows",
  rejected: "Refused",
  later: "To be tried later",
  unclear: "Unclear",
  abandoned: "Not sent",
};

const wordOf = (attempt: AttemptWire): string =>
  attempt.outcome === null ? "In progress" : (OUTCOMES[attempt.outcome] ?? attempt.outcome);

const read = async (pinId: string): Promise<ReceiptWire> => {
  const answer = await callAction(readPostAction({ pinId }));
  if (!answer.ok) throw new Error(answer.text);
  return answer.value;
};

function AttemptLine({ attempt, timeZone }: { attempt: AttemptWire; timeZone: string }) {
  return (
    <li>
      <p className="font-semibold text-ink">
        {attempt.number}. {wordOf(attempt)}
      </p>
      <p className="num text-ink-3">
        {attempt.called_at ? `Sent ${formatDateTime(attempt.called_at, timeZone)}` : "Nothing was sent"}
        {attempt.http_status !== null && `, answer ${attempt.http_status}`}
        {attempt.looks > 0 && `, board searched ${attempt.looks} ${attempt.looks === 1 ? "time" : "times"}`}
      </p>
      {[attempt.problem, attempt.note].map((text) => text && <p key={text}>{text}</p>)}
    </li>
  );
}

/** The receipt of a pin: every attempt, when it was sent, what came of it. */
export function Receipt({ post, timeZone }: { post: PostWire; timeZone: string }) {
  const { data, error } = useCall(post.status === "draft" ? null : post.id, () => read(post.id));
  if (error !== null) return <p className="text-xs text-failed-ink">The receipt could not be loaded.</p>;
  if (!data || data.attempts.length === 0) return null;
  return (
    <section className="pin-receipt" aria-label="Receipt">
      <ol className="grid gap-2.5" reversed>
        {data.attempts.map((attempt) => (
          <AttemptLine key={attempt.number} attempt={attempt} timeZone={timeZone} />
        ))}
      </ol>
    </section>
  );
}
