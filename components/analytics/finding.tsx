"use client";

import Sparkles from "lucide-react/icons/sparkles";
import { pinsPath } from "#components/pins/pin-list.ts";
import { Board, Pin, PinFace } from "#components/shared/pin.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { api } from "#lib/client/api.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { creatorUrl } from "#lib/core/paths.ts";
import { SEARCH_MAX } from "#lib/core/text.ts";
import type { ReportRowWire, ReportWire } from "#lib/features/analytics/schema.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";
import type { PinsWire } from "#lib/features/pins/schema.ts";
import {
  averageOf,
  DIMENSION_NOUNS,
  evaluateReport,
  type Finding,
  isBelow,
  RateRange,
  scaleOf,
} from "./evaluate-report.tsx";

const PINS = 3;
/** Searched for pins of the keyword, since the search matches words and not keywords. */
const FOUND = 12;

/** Names from this length on are shown smaller. */
const LONG_NAME = 30;

type FindingBoardProps = {
  accountId: string;
  report: ReportWire;
  labelOf: (row: ReportRowWire) => string;
  creatorPath: string;
};

/** The line above the name. While a sync is running it starts with "So far". */
const leadOf = ({ kind, level }: Finding, { by, gather }: ReportWire): string => {
  const { one, many } = DIMENSION_NOUNS[by];
  const open = `Which ${one} gets the most clicks?`;
  const isPassing = (gather.state === "working" || gather.state === "waiting") && gather.counted > 0;
  const leads: Record<Finding["kind"], string> = {
    winner: level > 0 ? `One of the top ${many} by click rate` : `The ${one} with the highest click rate`,
    leader: `Leading ${one}${isPassing ? "" : " so far"} (not conclusive yet)`,
    only: `The only ${one} so far`,
    clickless: open,
    unset: open,
    undecided: open,
    none: open,
  };
  const lead = leads[kind];
  return isPassing ? `So far: ${lead.charAt(0).toLowerCase()}${lead.slice(1)}` : lead;
};

/** Decorative pins of the best keyword; the section works without them. */
function KeywordPins({ accountId, keyword }: { accountId: string; keyword: string }) {
  const path = pinsPath(accountId, { filter: "published", q: keyword.slice(0, SEARCH_MAX) }, { limit: String(FOUND) });
  const { data } = useApiQuery([path], (signal) => api.get<PinsWire>(path, signal));
  const pins = (data?.posts ?? []).filter((pin) => pin.keyword?.trim().toLowerCase() === keyword.toLowerCase());
  return (
    <span
      data-slot="finding-pins"
      className={cn(
        "flex gap-5 pr-2 max-md:order-2 max-md:gap-3.5 max-md:pr-0 [&>span]:w-31",
        "[&>:nth-child(2)]:[translate:0_18px] [&>:nth-child(3)]:[translate:0_-8px]",
        "max-xl:[&>:nth-child(3)]:hidden max-md:[&>span]:w-[30%]",
        "max-md:[&>:nth-child(n)]:block max-md:[&>:nth-child(n)]:translate-none",
      )}
    >
      {pins.slice(0, PINS).map(({ id, image_url, placeholder }) => (
        <span key={id}>
          <Pin state="published" size="sm">
            <PinFace src={image_url} srcSet={thumbnailSet(image_url)} sizes="140px" alt="" placeholder={placeholder} />
          </Pin>
        </span>
      ))}
    </span>
  );
}

/** The report's main finding. */
export function FindingBoard({ accountId, report, labelOf, creatorPath }: FindingBoardProps) {
  const finding = evaluateReport(report);
  const { kind, row, name, text } = finding;
  const isNamed = row !== null && kind !== "undecided";
  const keyword = report.by === "keyword" && isNamed && !isBelow(row, report) ? labelOf(row) : null;
  const average = averageOf(report);
  const title = isNamed ? labelOf(row) : name;
  return (
    <Board
      data-slot="finding"
      data-kind={kind}
      className={cn(
        "grid min-h-75 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-10 gap-y-6",
        "px-[clamp(20px,3.4vw,44px)] pt-[34px] pb-9",
        "max-md:min-h-0 max-md:grid-cols-1 max-md:gap-[34px] max-md:pt-6.5 max-md:pb-7.5",
      )}
    >
      <div className="grid gap-3.5 justify-items-start max-w-[36rem]">
        <p data-slot="finding-lead" className="text-sm/[1.3] font-[550] text-accent-ink">
          {leadOf(finding, report)}
        </p>
        <h3
          className={cn(
            "font-display font-(--weight-display) tracking-[-0.03em] text-balance wrap-anywhere",
            // Long names would not fit as a headline.
            title.length > LONG_NAME
              ? "text-[clamp(1.75rem,1.2rem+1.6vw,2.5rem)]/[1.08]"
              : "text-[clamp(2.25rem,1.5rem+3vw,3.75rem)]/none",
            kind !== "winner" && kind !== "leader" && kind !== "only" && "text-ink-3",
          )}
        >
          {title}
        </h3>
        {isNamed && <RateRange row={row} average={average} scale={scaleOf(report.rows, average ?? 0)} isLarge />}
        <p className="max-w-[54ch] text-ui/[1.5] text-ink-2 text-pretty num">{text}</p>
        {keyword !== null && (
          <LinkButton variant="primary" className="mt-1.5 max-md:w-full" href={creatorUrl(creatorPath, [keyword])}>
            <Sparkles aria-hidden="true" />
            More like this
          </LinkButton>
        )}
      </div>
      {keyword !== null && <KeywordPins accountId={accountId} keyword={keyword} />}
    </Board>
  );
}
