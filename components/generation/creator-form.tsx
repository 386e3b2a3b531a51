"use client";

import Plus from "lucide-react/icons/plus";
import Sparkles from "lucide-react/icons/sparkles";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { BoardChoice } from "#components/generation/board-choice.tsx";
import { KeywordRow } from "#components/generation/keyword-row.tsx";
import type { CreatorChoices, StartProblem } from "#components/generation/use-creator.ts";
import { type KeywordRows, toKeywordData } from "#components/generation/use-keyword-rows.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { KEYWORDS_MAX, TEXTS } from "#lib/features/generation/constants.ts";

type CreatorFormProps = {
  accounts: AccountOption[];
  choices: CreatorChoices;
  list: KeywordRows;
  isStarting: boolean;
  /** What the server said about the last try, and its row, if it named one. */
  problem: StartProblem | null;
  warning: string | null;
  onGenerate: () => void;
};

const QUALITIES = [
  { value: "high", label: `High, ${COST_CREDITS.high} credits` },
  { value: "standard", label: `Standard, ${COST_CREDITS.standard}` },
] as const;

/** The form of the creator (R-AIC-01 to R-AIC-07). */
export function CreatorForm(props: CreatorFormProps) {
  const { accounts, choices, list, isStarting, problem, warning, onGenerate } = props;
  const keywords = toKeywordData(list.rows);
  const isComplete = keywords.length > 0 && choices.accountId && choices.boardId && choices.quality;
  return (
    <form
      className="card creator-form"
      aria-label="New batch"
      onSubmit={(event) => {
        event.preventDefault();
        onGenerate();
      }}
    >
      <div className="creator-choices md:grid-cols-2">
        <AccountChoice accounts={accounts} value={choices.accountId} onChange={choices.setAccountId} />
        <BoardChoice accountId={choices.accountId} value={choices.boardId} onChange={choices.setBoardId} />
      </div>
      <Segment label="Quality" options={QUALITIES} value={choices.quality} onChange={choices.setQuality} />
      <fieldset className="grid gap-2.5">
        <legend className="label mb-2">Keywords</legend>
        <ol className="keyword-rows">
          {list.rows.map((row, at) => (
            <KeywordRow key={row.key} row={row} number={at + 1} list={list} isWrong={row.key === problem?.rowKey} />
          ))}
        </ol>
        <div>
          <Button size="sm" variant="quiet" onClick={list.add} disabled={list.rows.length >= KEYWORDS_MAX}>
            <Plus aria-hidden="true" />
            Add keyword
          </Button>
        </div>
      </fieldset>
      {list.leftOut > 0 && (
        <Banner tone="low" isAnnounced>
          A batch holds {KEYWORDS_MAX} keywords: {list.leftOut} pasted {list.leftOut === 1 ? "line" : "lines"} found no
          room.
        </Banner>
      )}
      {problem && (
        <Banner tone="failed" isAnnounced>
          {problem.text}
        </Banner>
      )}
      {warning && (
        <Banner tone="low" isAnnounced>
          {warning}
        </Banner>
      )}
      <p className="creator-sum num">
        <span className="text-ink-3">
          {keywords.length} {keywords.length === 1 ? "pin" : "pins"}
        </span>
        <b className="font-semibold">{choices.quality ? COST_CREDITS[choices.quality] * keywords.length : 0} credits</b>
      </p>
      <Button type="submit" variant="primary" size="lg" isBusy={isStarting} disabled={!isComplete}>
        <Sparkles aria-hidden="true" />
        {TEXTS.generate}
      </Button>
    </form>
  );
}
