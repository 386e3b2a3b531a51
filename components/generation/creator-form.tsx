"use client";

import Plus from "lucide-react/icons/plus";
import Sparkles from "lucide-react/icons/sparkles";
import X from "lucide-react/icons/x";
import { type ClipboardEvent, type KeyboardEvent, useEffect } from "react";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { NewBoard, NewSection } from "#components/accounts/new-board.tsx";
import { SectionField } from "#components/accounts/section-field.tsx";
import { boardLabel, useBoards } from "#components/accounts/use-boards.tsx";
import { ResendEmail } from "#components/identity/resend-email.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { FieldNote, LABEL } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Input } from "#components/ui/input.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { KEYWORD_MAX, KEYWORDS_MAX, TEXTS } from "#lib/features/generation/constants.ts";
import { LINK_MAX } from "#lib/features/pins/constants.ts";
import {
  type CreatorChoices,
  type KeywordField,
  type KeywordRows,
  type StartProblem,
  toKeywordData,
} from "./use-creator.ts";
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
      <div className="flex flex-wrap gap-2">
        <NewBoard boards={boards} onCreated={onChange} />
        <NewSection boards={boards} boardId={value} onCreated={setSectionId} />
      </div>
    </div>
  );
}

type KeywordRowProps = { row: KeywordField; number: number; list: KeywordRows; isWrong: boolean };

/** Focuses the keyword of the next (1) or previous (-1) row, once it is rendered. */
const focusRow = (from: EventTarget & Element, offset: number): void => {
  const row = from.closest("li");
  const find = () => (offset > 0 ? row?.nextElementSibling : row?.previousElementSibling)?.querySelector("input");
  const input = find();
  if (input) input.focus();
  else requestAnimationFrame(() => find()?.focus());
};

/** A keyword and its optional URL. Enter adds a row, and pasted lines become rows. */
function KeywordRow({ row, number, list, isWrong }: KeywordRowProps) {
  const paste = (event: ClipboardEvent) => {
    const lines = event.clipboardData
      .getData("text")
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean);
    if (lines.length < 2) return;
    event.preventDefault();
    list.spread(row.key, lines);
  };
  const addOnEnter = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    list.add();
    focusRow(event.currentTarget, 1);
  };
  const remove = () => {
    list.remove(row.key);
    if (row.keyword || row.url) showToast(`Row ${number} removed`, { onUndo: () => list.restore(row, number - 1) });
  };
  return (
    <li
      className={cn(
        "grid grid-cols-[22px_minmax(0,1fr)_minmax(0,1fr)_34px] gap-2 items-center",
        "max-md:grid-cols-[22px_minmax(0,1fr)_34px] max-md:pb-1.5",
      )}
    >
      <span className="text-xs text-ink-3 num" aria-hidden="true">
        {number}
      </span>
      <Input
        aria-label={`Keyword ${number}`}
        placeholder={number === 1 ? "cabins in the woods" : "Keyword"}
        value={row.keyword}
        maxLength={KEYWORD_MAX}
        onChange={(event) => list.change(row.key, { keyword: event.target.value })}
        onPaste={paste}
        onKeyDown={addOnEnter}
      />
      <Input
        className="max-md:col-start-2"
        aria-label={`URL for keyword ${number} (optional)`}
        aria-invalid={isWrong || undefined}
        placeholder="https:// (optional)"
        inputMode="url"
        value={row.url}
        maxLength={LINK_MAX}
        onChange={(event) => list.change(row.key, { url: event.target.value })}
      />
      {row.url.trim() !== "" && (
        <Checkbox
          className="col-start-2 col-span-2 row-start-2 max-md:col-span-1 max-md:row-start-3"
          label={
            <span>
              {TEXTS.ownImage}
              <span className="sr-only"> for keyword {number}</span>
            </span>
          }
          checked={row.imageSource === "page"}
          onChange={({ target }) => list.change(row.key, { imageSource: target.checked ? "page" : "generated" })}
        />
      )}
      <IconButton
        label={`Remove row ${number}`}
        className="max-md:row-start-1 max-md:col-start-3"
        onClick={(event) => {
          focusRow(event.currentTarget, number === 1 ? 1 : -1);
          remove();
        }}
      >
        <X aria-hidden="true" />
      </IconButton>
    </li>
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
        A pin with its page’s own image costs {COST_CREDITS.standard} credit, because only its text is generated. If the
        image can’t be used, the credit is returned.
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

const UNREAD_PAGE_OPTIONS = [
  { value: "use_keyword", label: "Write from the keyword" },
  { value: "stop", label: "Stop this row" },
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
      <FieldNote>
        We read each URL and write about what is on the page. Rows that are stopped cost no credits.
      </FieldNote>
    </div>
  );
}

export function CreatorForm(props: CreatorFormProps) {
  const { accounts, choices, list, isStarting, problem, warning, rights, onGenerate } = props;
  const keywords = toKeywordData(list.rows);
  const { quality } = choices;
  const cost = quality ? keywords.reduce((sum, { image }) => sum + COST_CREDITS[image ? "standard" : quality], 0) : 0;
  const isComplete = keywords.length > 0 && choices.accountId && choices.boardId && quality && rights.isComplete;
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
      <Segment label="Quality" options={QUALITIES} value={choices.quality} onChange={choices.setQuality} />
      <fieldset className="grid gap-2.5">
        <legend className={cn(LABEL, "mb-2")}>Keywords</legend>
        <ol className="grid gap-2.5">
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
      {keywords.some(({ url }) => url !== null) && <UnreadPageField choices={choices} />}
      {keywords.some(({ image }) => image === "page") && <OwnImagesField rights={rights} />}
      {list.leftOut > 0 && (
        <Banner tone="low" isAnnounced>
          A batch can have up to {KEYWORDS_MAX} keywords. {list.leftOut} pasted{" "}
          {list.leftOut === 1 ? "line was" : "lines were"} left out.
        </Banner>
      )}
      {problem && (
        <Banner tone="failed" isAnnounced action={problem.needsConfirmation && <ResendEmail />}>
          {problem.text}
        </Banner>
      )}
      {warning && (
        <Banner tone="low" isAnnounced>
          {warning}
        </Banner>
      )}
      <p className="flex items-baseline justify-between gap-3 pt-3.5 text-sm border-t border-line num">
        <span className="text-ink-3">
          {keywords.length} {keywords.length === 1 ? "pin" : "pins"}
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
