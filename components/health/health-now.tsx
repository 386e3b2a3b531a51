import { CircleCheck, CircleX } from "lucide-react";
import { PreloadFonts } from "#components/fonts/preload-fonts.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { formatMoment } from "#lib/core/time.ts";

type PartName = "database" | "migrations" | "engine";
type HealthNowProps = {
  name: string;
  parts: Record<PartName, { ok: boolean }>;
  /** ISO 8601 */
  checkedAt: string;
};

/** What visitors know the parts as; this page being shown proves the first. */
const PARTS = [
  { name: "Website", words: "Pages and the calls of the screens", needs: [] },
  { name: "Database", words: "Accounts, drafts, schedules and credits", needs: ["database", "migrations"] },
  { name: "Pins at work", words: "Making pins and publishing them when they are due", needs: ["database", "engine"] },
] as const satisfies { name: string; words: string; needs: PartName[] }[];

/** What works, as seen at `checkedAt`. */
export function HealthNow({ name, parts, checkedAt }: HealthNowProps) {
  const rows = PARTS.map((part) => ({ ...part, works: part.needs.every((need) => parts[need].ok) }));
  const allWork = rows.every(({ works }) => works);
  return (
    <section className="site-width status-hero">
      <PreloadFonts names={["newsreader-display", "newsreader-display-italic"]} />
      <div>
        <h1 className="display text-d2">
          {allWork ? (
            <>
              {name} <em>works</em>
            </>
          ) : (
            `Part of ${name} does not work`
          )}
        </h1>
        <p className="lead mt-5">
          {allWork
            ? "Everything answered when it was last asked"
            : "What is scheduled is kept, and goes out when everything answers again. Everything was last asked"}
          , <time dateTime={checkedAt}>{formatMoment(checkedAt)}</time>.
        </p>
      </div>
      <ul className="status-parts">
        {rows.map((part) => (
          <li key={part.name}>
            <span>
              <b>{part.name}</b>
              <span>{part.words}</span>
            </span>
            {part.works ? (
              <Chip tone="published" icon={<CircleCheck aria-hidden="true" />}>
                Works
              </Chip>
            ) : (
              <Chip tone="failed" icon={<CircleX aria-hidden="true" />}>
                Does not work
              </Chip>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
