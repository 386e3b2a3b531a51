"use client";

import { type RefObject, useEffect, useMemo, useRef } from "react";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { useBoards } from "#components/accounts/use-boards.ts";
import { readFormKey } from "#components/pins/bulk/bulk-keys.ts";
import { BulkRowFields, type RowActions } from "#components/pins/bulk/bulk-row.tsx";
import { type BulkRow, boardOf, shownRows } from "#components/pins/bulk/bulk-rows.ts";
import { PictureDrop } from "#components/pins/bulk/picture-drop.tsx";
import { PinCount } from "#components/pins/bulk/pin-count.tsx";
import { SendBar } from "#components/pins/bulk/send-bar.tsx";
import type { BulkFormState } from "#components/pins/bulk/use-bulk-form.ts";
import type { BulkSending } from "#components/pins/bulk/use-bulk-send.ts";
import { useDroppedFiles } from "#components/pins/bulk/use-dropped-files.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { BULK_MAX } from "#lib/features/pins/constants.ts";

type BulkFormProps = { accounts: AccountOption[]; state: BulkFormState; sending: BulkSending };

/** Functions that stay the same while what they do follows the newest state. */
const useSteadyActions = (state: BulkFormState): RowActions => {
  const latest = useRef(state);
  latest.current = state;
  return useMemo(
    () => ({
      setText: (...change) => latest.current.setText(...change),
      setBoard: (...change) => latest.current.setBoard(...change),
      turnLock: (key) => latest.current.turnLock(key),
      fillDown: (...change) => latest.current.fillDown(...change),
      remove: (row) => latest.current.remove(row),
      addFiles: (files, key) => void latest.current.addFiles(files, key),
    }),
    [],
  );
};

/** Where the focus goes when a row takes it along: the button of the row in its place, or of the last one. */
const useFocusAfterRemoval = (form: RefObject<HTMLFormElement | null>, rows: readonly BulkRow[]) => {
  const removedAt = useRef<number | null>(null);
  useEffect(() => {
    const at = removedAt.current;
    removedAt.current = null;
    if (at === null) return;
    const buttons = form.current?.querySelectorAll<HTMLElement>(".bulk-remove");
    buttons?.[Math.min(at, rows.length - 1)]?.focus();
  }, [form, rows]);
  return (row: BulkRow) => {
    removedAt.current = rows.indexOf(row);
  };
};

/** The form: account and number, images, a row for each pin (R-BULK-01 to R-BULK-07). */
export function BulkFormFields({ accounts, state, sending }: BulkFormProps) {
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
      className="bulk"
      aria-label="New pins"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => readFormKey(event, { onSend: send, onFillDown: state.fillDown })}
    >
      <div className="card bulk-head">
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
      <ol className="bulk-rows">
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
