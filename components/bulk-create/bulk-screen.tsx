"use client";

import Images from "lucide-react/icons/images";
import { useEffect, useMemo, useState } from "react";
import { AccountChoice, type AccountOption, NoAccount } from "#components/accounts/account-choice.tsx";
import { NewPlace } from "#components/accounts/new-place.tsx";
import { useBoards } from "#components/accounts/use-boards.tsx";
import { FormatLinks } from "#components/formats/format-links.tsx";
import { CreatedLinks } from "#components/pins/link-check.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Kbd } from "#components/ui/kbd.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useDroppedFiles } from "#components/ui/use-dropped-files.ts";
import { useFocusAfterRemoval } from "#components/ui/use-focus-after-removal.ts";
import { useFocusOnProblem } from "#components/ui/use-focus-on-problem.ts";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { generatedPostsUrl } from "#lib/core/paths.ts";
import { BULK_MAX, IMAGE_HINT } from "#lib/features/pins/constants.ts";
import type { BulkWire } from "#lib/features/pins/schema.ts";
import { IMPORT_PATH } from "#lib/features/spreadsheets/constants.ts";
import { ACCEPTED, applyFormKey, BulkRowFields, type RowActions } from "./bulk-row.tsx";
import { type BulkRow, interruptionText, placeOf, shownRows } from "./bulk-rows.ts";
import { type BulkFormState, useBulkForm } from "./use-bulk-form.ts";
import { type BulkSending, useBulkSend } from "./use-bulk-send.ts";

const listFormat = new Intl.ListFormat("en", { type: "conjunction" });

const listOf = (numbers: readonly number[]): string =>
  `${numbers.length === 1 ? "pin" : "pins"} ${listFormat.format(numbers.map(String))}`;

function CreatedBanner({ created }: { created: BulkWire }) {
  const { posts: pins, first_frames: frames } = created;
  return (
    <Banner
      tone="success"
      className="mb-5"
      action={
        <LinkButton size="sm" href={generatedPostsUrl("draft", pins[0]?.account_id)}>
          Generated Posts
        </LinkButton>
      }
    >
      {pins.length === 1 ? "Your draft is" : `Your ${pins.length} drafts are`} in Generated Posts.
      {frames.length > 0 &&
        ` We used the first frame of the animated ${frames.length === 1 ? "GIF" : "GIFs"} for ${listOf(frames)}.`}
    </Banner>
  );
}

type PinCountProps = { count: number; isDisabled: boolean; onChange: (count: number) => void };

const countOf = (text: string): number | null => {
  const count = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  return count >= 1 && count <= BULK_MAX ? count : null;
};

/** Ignores invalid input and resets it on blur. */
function PinCount({ count, isDisabled, onChange }: PinCountProps) {
  const [text, setText] = useState(String(count));
  useEffect(() => setText(String(count)), [count]);
  return (
    <TextField
      label="Number of pins"
      type="number"
      inputMode="numeric"
      min={1}
      max={BULK_MAX}
      step={1}
      value={text}
      disabled={isDisabled}
      error={countOf(text) === null && text !== "" ? `Enter a number from 1 to ${BULK_MAX}.` : undefined}
      onChange={(event) => {
        setText(event.target.value);
        const entered = countOf(event.target.value);
        if (entered !== null) onChange(entered);
      }}
      onBlur={() => setText(String(count))}
    />
  );
}

type ImageDropProps = { isOver: boolean; isDisabled: boolean; onFiles: (files: File[]) => void };

/** Adds many images at once. Each goes to an empty row or a new one. */
function ImageDrop({ isOver, isDisabled, onFiles }: ImageDropProps) {
  return (
    <label
      className={cn(
        "flex min-h-16.5 cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 rounded-control px-4 py-3 text-sm",
        "border-[1.5px] border-dashed hover:border-accent hover:bg-hover max-[64rem]:col-span-full",
        "focus-within:outline-[2.5px] focus-within:outline-offset-3 focus-within:outline-focus focus-within:outline-solid",
        isOver ? "border-accent bg-hover" : "border-control",
      )}
    >
      <Images aria-hidden="true" size={22} strokeWidth={1.7} />
      <span>
        <b className="font-semibold text-ink">Choose images</b>
        <span className="text-ink-2">, drop them here, or paste them. Each becomes a pin.</span>
      </span>
      <span className="text-xs text-ink-3">{IMAGE_HINT}</span>
      <input
        type="file"
        className="sr-only"
        accept={ACCEPTED}
        multiple
        disabled={isDisabled}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </label>
  );
}

type SendBarProps = { count: number; sending: BulkSending };

const stateOf = ({ isSending, percents, problems, interruption }: BulkSending): string => {
  if (isSending && percents.size === 0) return "";
  if (isSending) {
    const sent = [...percents.values()].filter((percent) => percent === 100).length;
    return sent === percents.size ? "All images uploaded. Processing…" : `${sent} of ${percents.size} images uploaded`;
  }
  if (problems.size === 0) return interruption ? interruptionText(interruption) : "";
  return problems.size === 1 ? "One pin needs your attention." : `${problems.size} pins need your attention.`;
};

/** Problems, progress and the submit button. */
function SendBar({ count, sending }: SendBarProps) {
  const { isSending, problem } = sending;
  const many = count === 1 ? "1 pin" : `${count} pins`;
  return (
    <div
      className={cn(
        "sticky bottom-0 z-(--z-sticky) grid gap-3 pt-3.5 pb-[calc(14px_+_env(safe-area-inset-bottom))]",
        "px-0 bg-page border-t border-line",
      )}
    >
      {problem && (
        <Banner tone="failed" isAnnounced>
          {problem}
        </Banner>
      )}
      <div
        className={cn("flex flex-wrap items-center justify-end gap-y-2.5 gap-x-4", "[&>:first-child]:flex-[1_1_12rem]")}
      >
        <p className="num text-sm text-ink-2" role="status">
          {stateOf(sending)}
        </p>
        {isSending ? (
          <Button variant="quiet" onClick={sending.stop}>
            Stop
          </Button>
        ) : (
          <span className="hidden items-center gap-1.5 text-xs text-ink-3 md:flex">
            <Kbd keys={["Ctrl", "Enter"]} />
          </span>
        )}
        <Button
          type="submit"
          variant="primary"
          size="lg"
          className="max-md:w-full"
          isBusy={isSending}
          busyLabel="Creating…"
        >
          Create {many}
        </Button>
      </div>
    </div>
  );
}

type BulkFormProps = { accounts: AccountOption[]; state: BulkFormState; sending: BulkSending };

/** Callbacks with a stable identity that use the latest state. */
const useStableActions = (state: BulkFormState): RowActions => {
  const setText = useStableCallback(state.setText);
  const setPlace = useStableCallback(state.setPlace);
  const toggleLock = useStableCallback(state.toggleLock);
  const fillDown = useStableCallback(state.fillDown);
  const remove = useStableCallback(state.remove);
  const addFiles = useStableCallback((files: File[], key?: string) => void state.addFiles(files, key));
  return useMemo(
    () => ({ setText, setPlace, toggleLock, fillDown, remove, addFiles }),
    [setText, setPlace, toggleLock, fillDown, remove, addFiles],
  );
};

function BulkFormFields({ accounts, state, sending }: BulkFormProps) {
  const { form, accountId } = state;
  const { isSending, problems, percents } = sending;
  const boards = useBoards(accountId);
  const username = accounts.find(({ id }) => id === accountId)?.username ?? "";
  const element = useFocusOnProblem(sending.rejections);
  const rows = shownRows(form);
  const takeFocus = useFocusAfterRemoval(element, rows, "[data-slot=bulk-remove]");
  const remove = (row: BulkRow) => {
    takeFocus(row);
    state.remove(row);
  };
  const actions = useStableActions({ ...state, remove });
  const isOver = useDroppedFiles((files, key) => {
    if (!isSending) void state.addFiles(files, key);
  });
  const send = () => void sending.send(form, accountId);

  return (
    <form
      ref={element}
      className="grid grid-cols-1 gap-5"
      aria-label="New pins"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => applyFormKey(event, { onSend: send, onFillDown: state.fillDown })}
    >
      <div
        data-slot="bulk-head"
        className={cn(
          "rounded-card bg-surface shadow-card grid grid-cols-[minmax(0,1fr)_140px_minmax(0,2fr)] gap-4 items-start p-5.5",
          "max-[64rem]:grid-cols-[minmax(0,1fr)_130px] max-md:p-4",
        )}
      >
        <div className="grid gap-1.5">
          <AccountChoice accounts={accounts} value={accountId} disabled={isSending} onChange={state.setAccountId} />
          <NewPlace
            boards={boards}
            boardId={form.boardId}
            onBoard={(boardId) => state.setSharedPlace({ boardId, boardSectionId: null })}
            onSection={(boardSectionId) => state.setSharedPlace({ boardSectionId })}
          />
        </div>
        <PinCount count={form.count} isDisabled={isSending} onChange={state.setCount} />
        <ImageDrop isOver={isOver} isDisabled={isSending} onFiles={(files) => void state.addFiles(files)} />
      </div>
      {form.leftOut > 0 && (
        <Banner tone="low" isAnnounced>
          You can create up to {BULK_MAX} pins at once. {form.leftOut}{" "}
          {form.leftOut === 1 ? "image was" : "images were"} left out.
        </Banner>
      )}
      {state.missingImages > 0 && (
        <Banner tone="low" isAnnounced>
          {state.missingImages === 1 ? "One image" : `${state.missingImages} images`} from your last visit couldn't be
          saved in this browser. Choose {state.missingImages === 1 ? "it" : "them"} again.
        </Banner>
      )}
      {boards.problem && (
        <Banner
          tone="failed"
          isAnnounced
          action={
            <Button size="sm" onClick={boards.reload}>
              Try again
            </Button>
          }
        >
          {boards.problem}
        </Banner>
      )}
      <ol className="grid grid-cols-1 gap-4 [counter-reset:pin]">
        {rows.map((row, index) => (
          <BulkRowFields
            key={row.key}
            row={row}
            number={index + 1}
            isLast={index === rows.length - 1}
            {...placeOf(form, row)}
            username={username}
            boards={boards}
            problems={problems.get(row.key)}
            percent={percents.get(row.key)}
            isDisabled={isSending}
            actions={actions}
          />
        ))}
      </ol>
      <SendBar count={rows.length} sending={sending} />
    </form>
  );
}

type BulkScreenProps = { userId: string; accounts: AccountOption[] };

/** Manual Pin Creation. */
export function BulkScreen({ userId, accounts }: BulkScreenProps) {
  const state = useBulkForm({ userId, accounts });
  const sending = useBulkSend(state.form, state.clear);
  return (
    <>
      <PageHeader title="Manual Pin Creation" action={<LinkButton href={IMPORT_PATH}>Import a spreadsheet</LinkButton>}>
        Create pins from your own images, up to {BULK_MAX} at a time. Each becomes a draft and uses no credits.
      </PageHeader>
      <FormatLinks current="image" />
      {sending.created && <CreatedBanner created={sending.created} />}
      <CreatedLinks pins={sending.created?.posts ?? []} />
      {accounts.length === 0 ? (
        <NoAccount>Connect a Pinterest account first. Every draft needs a board.</NoAccount>
      ) : (
        <BulkFormFields accounts={accounts} state={state} sending={sending} />
      )}
    </>
  );
}
