import type { Boards } from "#components/accounts/use-boards.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { TEMPLATES } from "#lib/features/branding/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

const SOURCES = { ai: "Made with AI", manual: "Your own" } as const;

const templateOf = ({ template_id }: PostWire): string | null => {
  const known = Object.entries(TEMPLATES).find(([name]) => name === template_id);
  return known ? known[1].label : null;
};

/** A board's name; the board may be gone, and Pinterest may not answer. */
export const boardText = ({ items, isLoading }: Boards, boardId: string): string => {
  if (isLoading) return "Loading";
  if (!items) return "Not to be read right now";
  return items.find(({ id }) => id === boardId)?.name ?? "No longer there";
};

type PinFactsProps = { post: PostWire; boards: Boards; timeZone: string };

/** Where a pin leads, hangs and comes from, and its times. */
export function PinFacts({ post, boards, timeZone }: PinFactsProps) {
  const link = post.url === null ? null : httpUrl(post.url);
  const when = (at: string | null) => at && formatDateTime(at, timeZone);
  const facts = [
    ["Board", boardText(boards, post.board_id)],
    ["Keyword", post.keyword],
    ["Picture", SOURCES[post.source]],
    ["Template", templateOf(post)],
    ["Created", when(post.created_at)],
    ["Scheduled", when(post.scheduled_at)],
    ["Published", when(post.published_at)],
  ] as const;
  return (
    <dl className="num">
      {link && (
        <>
          <dt>Link</dt>
          <dd>
            <a className="link" href={link} target="_blank" rel="noreferrer">
              {post.url}
            </a>
          </dd>
        </>
      )}
      {facts.map(([label, text]) =>
        text === null ? null : (
          <div key={label} className="contents">
            <dt>{label}</dt>
            <dd>{text}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
