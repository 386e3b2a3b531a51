"use client";

import Sparkles from "lucide-react/icons/sparkles";
import { postsPath } from "#components/pins/wall-list.ts";
import { Board, Pin, PinFace } from "#components/shared/pin.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { api } from "#lib/client/api.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { creatorAddress } from "#lib/core/paths.ts";
import { SEARCH_MAX } from "#lib/core/text.ts";
import type { ReportWire, ResultRowWire } from "#lib/features/analytics/schema.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";
import type { PostsWire } from "#lib/features/pins/schema.ts";
import { averageOf, DIMENSION_WORDS, type Finding, isBelow, judgeReport, RateRange, scaleOf } from "./judge-report.tsx";

/** Pins of the best keyword that hang beside its name. */
const PINS = 3;
/** As many as are looked through for them: the search finds words, not keywords. */
const FOUND = 12;

/** Characters from which a name is drawn smaller. */
const LONG_NAME = 30;

type FindingBoardProps = {
  accountId: string;
  report: ReportWire;
  labelOf: (row: ResultRowWire) => string;
  creatorPath: string;
};

/** What stands above the name: what was counted, not what caused it. While figures still arrive, it is told as of now. */
const leadOf = ({ kind, level }: Finding, { by, gather }: ReportWire): string => {
  const { one, many } = DIMENSION_WORDS[by];
  const open = `Which ${one} has the pins that are clicked most often?`;
  const leads: Record<Finding["kind"], string> = {
    winner: `${level > 0 ? `Among the ${many}` : `The ${one}`} whose pins are clicked most often`,
    leader: `In front, and not yet sure: the ${one}`,
    only: `The only ${one} so far`,
    clickless: open,
    unset: open,
    undecided: open,
    none: open,
  };
  const isPassing = (gather.state === "working" || gather.state === "waiting") && gather.counted > 0;
  const lead = leads[kind];
  return isPassing ? `So far: ${lead.charAt(0).toLowerCase()}${lead.slice(1)}` : lead;
};

/** Some of the pins that were made of a keyword. They only illustrate: without them the board says the same. */
function KeywordPins({ accountId, keyword }: { accountId: string; keyword: string }) {
  const path = postsPath(accountId, { filter: "published", q: keyword.slice(0, SEARCH_MAX) }, { limit: String(FOUND) });
  const { data } = useApiQuery([path], (signal) => api.get<PostsWire>(path, signal));
  const pins = (data?.posts ?? []).filter((post) => post.keyword?.trim().toLowerCase() === keyword.toLowerCase());
  return (
    <span className="finding-pins">
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

/** What works, in a name and a sentence: the first thing that is read. */
export function FindingBoard({ accountId, report, labelOf, creatorPath }: FindingBoardProps) {
  const finding = judgeReport(report);
  const { kind, row, name, text } = finding;
  const isNamed = row !== null && kind !== "undecided";
  const keyword = report.by === "keyword" && isNamed && !isBelow(row, report) ? labelOf(row) : null;
  const average = averageOf(report);
  const title = isNamed ? labelOf(row) : name;
  return (
    <Board className="finding" data-kind={kind}>
      <div className="finding-slip">
        <p className="finding-lead">{leadOf(finding, report)}</p>
        <h3 className="finding-name" data-long={title.length > LONG_NAME || undefined}>
          {title}
        </h3>
        {isNamed && <RateRange row={row} average={average} scale={scaleOf(report.rows, average ?? 0)} />}
        <p className="finding-text num">{text}</p>
        {keyword !== null && (
          <LinkButton variant="primary" href={creatorAddress(creatorPath, [keyword])}>
            <Sparkles aria-hidden="true" />
            More like this
          </LinkButton>
        )}
      </div>
      {keyword !== null && <KeywordPins accountId={accountId} keyword={keyword} />}
    </Board>
  );
}
