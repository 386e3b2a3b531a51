"use client";

import Plus from "lucide-react/icons/plus";
import Sparkles from "lucide-react/icons/sparkles";
import { useEffect } from "react";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { NewPlace } from "#components/accounts/new-place.tsx";
import { SectionField } from "#components/accounts/section-field.tsx";
import { boardLabel, useBoards } from "#components/accounts/use-boards.tsx";
import { BuyCreditsLink } from "#components/credits/credits.tsx";
import { ResendEmail } from "#components/identity/resend-email.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { FieldNote, LABEL } from "#components/ui/field.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { KEYWORDS_MAX, TEXTS, VARIANTS } from "#lib/features/generation/constants.ts";
import { KeywordRow } from "./keyword-row.tsx";
import { type CreatorChoices, type KeywordRows, type StartProblem, toKeywordData } from "./use-creator.ts";
import type { ImageRights } from "./use-image-rights.ts";

function BoardChoice({ choices }: { choices: CreatorChoices }) {
  const { accountId, boardId: value, boardSectionId, setBoardId: onChange, setSectionId } = choices;
  const boards = useBoards(accountId);
  const { items, isLoading, emptyText, problem } = boards;
  useEffect(() => {
    if (items && value !== null && !items.some(({ id }) => id === value)) onChange(null);
  }, [items, value, onChange]);
  return (
    <div className="grid content-start gap-1.5">
      <SelectField
        label="Board"
        value={value ?? ""}
        disabled={!items || items.length === 0}
        aria-busy={isLoading}
        error={problem ?? undefined}
        onChange={(event) => onChange(event.target.value || null)}
      >
        <option value="">{emptyText}</option>
        {items?.map((board) => (
          <option key={board.id} value={board.id}>
            {boardLabel(board)}
          </option>
        ))}
      </SelectField>
      <SectionField accountId={accountId} boardId={value} value={boardSectionId} onChange={setSectionId} />
      <NewPlace boards={boards} boardId={value} onBoard={onChange} onSection={setSectionId} />
    </div>
  );
}

/** The user's word for sites whose images are used for the first time, and what such pins cost. */
function OwnImagesField({ rights }: { rights: ImageRights }) {
  return (
    <div className="grid gap-1.5">
      {rights.missingSites.length > 0 && (
        <Checkbox
          isTopAligned
          label={
            <span className="wrap-anywhere">I have the rights to use images from {joined(rights.missingSites)}.</span>
          }
          checked={rights.isGiven}
          onChange={({ target }) => rights.setGiven(target.checked)}
        />
      )}
      <FieldNote>
        A pin with its page's own image costs {COST_CREDITS.standard} credit, because only its text is generated. If the
        image can't be used, the credit is returned.
      </FieldNote>
    </div>
  );
}

type CreatorFormProps = {
  accounts: AccountOption[];
  choices: CreatorChoices;
  list: KeywordRows;
  isStarting: boolean;
  problem: StartProblem | null;
  warning: string | null;
  rights: ImageRights;
  onGenerate: () => void;
};

const joined = (sites: readonly string[]): string =>
  new Intl.ListFormat("en-US", { type: "conjunction" }).format(sites);

const QUALITIES = [
  { value: "high", label: `High, ${COST_CREDITS.high} credits` },
  { value: "standard", label: `Standard, ${COST_CREDITS.standard} credit` },
] as const;

const VARIANT_OPTIONS = VARIANTS.map((value) => ({ value, label: String(value) }));

const UNREAD_PAGE_OPTIONS = [
  { value: "use_keyword", label: "Use only the keyword" },
  { value: "stop", label: "Skip this row" },
] as const;

/** For rows with a URL. */
function UnreadPageField({ choices }: { choices: CreatorChoices }) {
  return (
    <div className="grid gap-1.5">
      <Segment
        label={TEXTS.unreadPage}
        options={UNREAD_PAGE_OPTIONS}
        value={choices.unreadPage}
        onChange={choices.setUnreadPage}
      />
      <FieldNote>We read each page and write about what's on it. Skipped rows don't use credits.</FieldNote>
    </div>
  );
}

export function CreatorForm(props: CreatorFormProps) {
  const { accounts, choices, list, isStarting, problem, warning, rights, onGenerate } = props;
  const keywords = toKeywordData(list.rows);
  const { quality, variants } = choices;
  const pins = keywords.length * variants;
  const costOf = (image: unknown) => (quality ? COST_CREDITS[image ? "standard" : quality] * variants : 0);
  const cost = keywords.reduce((sum, { image }) => sum + costOf(image), 0);
  const isPossible = pins > 0 && pins <= KEYWORDS_MAX && rights.isComplete;
  const isComplete = isPossible && choices.accountId && choices.boardId && quality;
  return (
    <form
      className="rounded-card bg-surface shadow-card grid gap-[18px] p-[clamp(20px,3vw,32px)]"
      aria-label="New batch"
      onSubmit={(event) => {
        event.preventDefault();
        onGenerate();
      }}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <AccountChoice accounts={accounts} value={choices.accountId} onChange={choices.setAccountId} />
        <BoardChoice choices={choices} />
      </div>
      <div className="flex flex-wrap gap-x-8 gap-y-4">
        <Segment label="Quality" options={QUALITIES} value={choices.quality} onChange={choices.setQuality} />
        <Segment
          label="Pins per keyword"
          options={VARIANT_OPTIONS}
          value={choices.variants}
          onChange={choices.setVariants}
        />
      </div>
      <fieldset className="grid gap-2.5">
        <legend className={cn(LABEL, "mb-2")}>Keywords</legend>
        <ol className="grid gap-2.5">
          {list.rows.map((row, at) => (
            <KeywordRow
              key={row.key}
              row={row}
              number={at + 1}
              list={list}
              isWrong={row.key === problem?.rowKey}
              accountId={choices.accountId}
            />
          ))}
        </ol>
        <div>
          <Button size="sm" variant="quiet" onClick={list.add} disabled={list.rows.length >= KEYWORDS_MAX}>
            <Plus aria-hidden="true" />
            Add keyword
          </Button>
        </div>
      </fieldset>
      {keywords.some(({ url }) => url !== null) && <UnreadPageField choices={choices} />}
      {keywords.some(({ image }) => image === "page") && <OwnImagesField rights={rights} />}
      {list.leftOut > 0 && (
        <Banner tone="low" isAnnounced>
          A batch can have up to {KEYWORDS_MAX} keywords. {list.leftOut} pasted{" "}
          {list.leftOut === 1 ? "line was" : "lines were"} left out.
        </Banner>
      )}
      {pins > KEYWORDS_MAX && (
        <Banner tone="low" isAnnounced>
          {TEXTS.tooManyPins}
        </Banner>
      )}
      {problem && (
        <Banner tone="failed" isAnnounced action={problem.needsConfirmation && <ResendEmail />}>
          {problem.text}
        </Banner>
      )}
      {warning && (
        <Banner tone="low" isAnnounced action={<BuyCreditsLink />}>
          {warning}
        </Banner>
      )}
      <p className="flex items-baseline justify-between gap-3 pt-3.5 text-sm border-t border-line num">
        <span className="text-ink-3">
          {pins} {pins === 1 ? "pin" : "pins"}
        </span>
        <b className="font-semibold">
          {cost} {cost === 1 ? "credit" : "credits"}
        </b>
      </p>
      <Button type="submit" variant="primary" size="lg" isBusy={isStarting} disabled={!isComplete}>
        <Sparkles aria-hidden="true" />
        {TEXTS.generate}
      </Button>
    </form>
  );
}
