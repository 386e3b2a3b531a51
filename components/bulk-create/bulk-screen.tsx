"use client";

import Images from "lucide-react/icons/images";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { AccountChoice, type AccountOption, NoAccount } from "#components/accounts/account-choice.tsx";
import { useBoards } from "#components/accounts/boards.tsx";
import { CreatedLinks } from "#components/pins/link-check.tsx";
import { PageHead } from "#components/shared/page-head.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Kbd } from "#components/ui/kbd.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useDroppedFiles } from "#components/ui/use-dropped-files.ts";
import { useStable } from "#components/ui/use-stable.ts";
import { BULK_MAX, PICTURE_HINT } from "#lib/features/pins/constants.ts";
import type { BulkWire } from "#lib/features/pins/schema.ts";
import { ACCEPTED, BulkRowFields, type RowActions, readFormKey } from "./bulk-row.tsx";
import { type BulkRow, boardOf, brokenOffText, shownRows } from "./bulk-rows.ts";
import { type BulkFormState, useBulkForm } from "./use-bulk-form.ts";
import { type BulkSending, useBulkSend } from "./use-bulk-send.ts";

const listOf = (numbers: readonly number[]): string =>
  numbers.length === 1 ? `pin ${numbers[0]}` : `pins ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;

/** What was made, and where it is. */
function CreatedBanner({ created }: { created: BulkWire }) {
  const { posts, first_frames: frames } = created;
  return (
    <Banner
      tone="success"
      className="mb-5"
      action={
        <LinkButton size="sm" href={`/app/generated-posts?status=draft&account=${posts[0]?.account_id ?? ""}`}>
          Generated Posts
        </LinkButton>
      }
    >
      {posts.length === 1 ? "One draft is" : `${posts.length} drafts are`} waiting in Generated Posts.
      {frames.length > 0 && ` Of ${listOf(frames)} the first frame was taken: the image moved.`}
    </Banner>
  );
}

type PinCountProps = { count: number; isDisabled: boolean; onChange: (count: number) => void };

const countOf = (text: string): number | null => {
  const count = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0;
  return count >= 1 && count <= BULK_MAX ? count : null;
};

/** How many pins (R-BULK-02). What is no number of pins changes nothing, and is put right when the field is left. */
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
      error={countOf(text) === null && text !== "" ? `From 1 to ${BULK_MAX}.` : undefined}
      onChange={(event) => {
        setText(event.target.value);
        const asked = countOf(event.target.value);
        if (asked !== null) onChange(asked);
      }}
      onBlur={() => setText(String(count))}
    />
  );
}

type PictureDropProps = { isOver: boolean; isDisabled: boolean; onFiles: (files: File[]) => void };

/** Chooses many images at once; each finds its row, or makes one (R-BULK-06). */
function PictureDrop({ isOver, isDisabled, onFiles }: PictureDropProps) {
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
        <span className="text-ink-2">, drop them here or paste them. Each becomes a pin.</span>
      </span>
      <span className="text-xs text-ink-3">{PICTURE_HINT}</span>
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

const stateOf = ({ isSending, percents, problems, brokenOff }: BulkSending): string => {
  if (isSending && percents.size === 0) return "";
  if (isSending) {
    const sent = [...percents.values()].filter((percent) => percent === 100).length;
    return sent === percents.size ? "All images sent. They are being read." : `${sent} of ${percents.size} images sent`;
  }
  if (problems.size === 0) return brokenOff ? brokenOffText(brokenOff) : "";
  return problems.size === 1 ? "One pin needs your attention." : `${problems.size} pins need your attention.`;
};

/** The foot of the form: what stands against it, how far it has got, and the button. */
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

/** Functions that stay the same while what they do follows the newest state. */
const useSteadyActions = (state: BulkFormState): RowActions => {
  const setText = useStable(state.setText);
  const setBoard = useStable(state.setBoard);
  const turnLock = useStable(state.turnLock);
  const fillDown = useStable(state.fillDown);
  const remove = useStable(state.remove);
  const addFiles = useStable((files: File[], key?: string) => void state.addFiles(files, key));
  return useMemo(
    () => ({ setText, setBoard, turnLock, fillDown, remove, addFiles }),
    [setText, setBoard, turnLock, fillDown, remove, addFiles],
  );
};

/** Where the focus goes when a row takes it along: the button of the row in its place, or of the last one. */
const useFocusAfterRemoval = (form: RefObject<HTMLFormElement | null>, rows: readonly BulkRow[]) => {
  const removedAt = useRef<number | null>(null);
  useEffect(() => {
    const at = removedAt.current;
    removedAt.current = null;
    if (at === null) return;
    const buttons = form.current?.querySelectorAll<HTMLElement>("[data-slot=bulk-remove]");
    buttons?.[Math.min(at, rows.length - 1)]?.focus();
  }, [form, rows]);
  return (row: BulkRow) => {
    removedAt.current = rows.indexOf(row);
  };
};

/** The form: account and number, images, a row for each pin (R-BULK-01 to R-BULK-07). */
function BulkFormFields({ accounts, state, sending }: BulkFormProps) {
  const { form, accountId } = state;
  const { isSending, problems, percents } = sending;
  const boards = useBoards(accountId);
  const element = useRef<HTMLFormElement>(null);
  const rows = shownRows(form);
  const takeFocus = useFocusAfterRemoval(element, rows);
  const remove = (row: BulkRow) => {
    takeFocus(row);
    state.remove(row);
  };
  const actions = useSteadyActions({ ...state, remove });
  const isOver = useDroppedFiles((files, key) => {
    if (!isSending) void state.addFiles(files, key);
  });
  const send = () => void sending.send(form, accountId);

  useEffect(() => {
    if (sending.refusals === 0) return;
    const wrong = element.current?.querySelector("[aria-invalid='true'], [data-fault]");
    if (wrong instanceof HTMLElement) wrong.focus();
  }, [sending.refusals]);

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
      onKeyDown={(event) => readFormKey(event, { onSend: send, onFillDown: state.fillDown })}
    >
      <div
        data-slot="bulk-head"
        className={cn(
          "rounded-card bg-surface shadow-card grid grid-cols-[minmax(0,1fr)_140px_minmax(0,2fr)] gap-4 items-start p-5.5",
          "max-[64rem]:grid-cols-[minmax(0,1fr)_130px] max-md:p-4",
        )}
      >
        <AccountChoice accounts={accounts} value={accountId} disabled={isSending} onChange={state.setAccountId} />
        <PinCount count={form.count} isDisabled={isSending} onChange={state.setCount} />
        <PictureDrop isOver={isOver} isDisabled={isSending} onFiles={(files) => void state.addFiles(files)} />
      </div>
      {form.leftOut > 0 && (
        <Banner tone="low" isAnnounced>
          A set holds {BULK_MAX} pins: {form.leftOut} {form.leftOut === 1 ? "image" : "images"} found no room.
        </Banner>
      )}
      {state.lostPictures > 0 && (
        <Banner tone="low" isAnnounced>
          {state.lostPictures === 1 ? "One image" : `${state.lostPictures} images`} of your last visit could not be kept
          by this browser. Choose {state.lostPictures === 1 ? "it" : "them"} again.
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
            boardId={boardOf(form, row)}
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

/** Pins from one's own images, many at a time (R-ROUTE-21, A-02, R-BULK-01 to R-BULK-11). */
export function BulkScreen({ userId, accounts }: BulkScreenProps) {
  const state = useBulkForm({ userId, accounts });
  const sending = useBulkSend(state.form, state.clear);
  return (
    <>
      <PageHead title="Manual Pin Creation">
        Your own images, many at a time. Each becomes a draft, for no credits; you choose which of them go up.
      </PageHead>
      {sending.created && <CreatedBanner created={sending.created} />}
      <CreatedLinks posts={sending.created?.posts ?? []} />
      {accounts.length === 0 ? (
        <NoAccount>Connect a Pinterest account first: drafts belong to one of its boards.</NoAccount>
      ) : (
        <BulkFormFields accounts={accounts} state={state} sending={sending} />
      )}
    </>
  );
}
