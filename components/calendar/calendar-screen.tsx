"use client";

import { useMemo, useRef, useState } from "react";
import { AccountChoice, type AccountOption, NoAccount } from "#components/accounts/account-choice.tsx";
import { useBoards } from "#components/accounts/use-boards.tsx";
import { SlotPlanDialog } from "#components/publishing/slot-plan-dialog.tsx";
import { LoadFailed } from "#components/shared/list-parts.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { useDockHeight } from "#components/shared/use-dock-height.ts";
import { useNow } from "#components/shared/use-now.ts";
import { Button } from "#components/ui/button.tsx";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { editQuery } from "#lib/client/edit-query.ts";
import { type DayRange, slotsUrl } from "#lib/core/paths.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { addDays } from "#lib/features/calendar/policy.ts";
import type { CalendarPinWire, PostingSlot } from "#lib/features/calendar/schema.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { CalendarContext, type CalendarMarks, type KeyboardMove, MarksContext } from "./calendar-context.ts";
import { type DropTarget, planDrafts, planMoves } from "./calendar-moves.ts";
import { type CalendarQuery, daysOf, otherAccountUrl, rangeOf, writeCalendarQuery } from "./calendar-query.ts";
import { CalendarToolbar } from "./calendar-toolbar.tsx";
import { ListView, MonthView, WeekView } from "./calendar-views.tsx";
import { DayDialog } from "./day-dialog.tsx";
import { DraftTray } from "./draft-tray.tsx";
import { KeyboardMoveBar } from "./keyboard-move-bar.tsx";
import { MoveDialog, type TimeQuestion } from "./move-dialog.tsx";
import { OpenedPin } from "./opened-pin.tsx";
import { type Calendar, type InitialCalendar, useCalendar, useFreeSlots } from "./use-calendar.ts";
import { useTools } from "./use-tools.ts";

type SelectionBarProps = {
  count: number;
  onAskTime: () => void;
  onMoveDays: (days: number) => void;
  onDrafts: () => void;
  onClear: () => void;
};

function SelectionBar({ count, onAskTime, onMoveDays, onDrafts, onClear }: SelectionBarProps) {
  const bar = useRef<HTMLElement>(null);
  useDockHeight(bar);
  return (
    <section
      ref={bar}
      data-slot="selection-dock"
      aria-label="Selected pins"
      className="sticky bottom-4 z-(--z-bar) mt-4 flex flex-wrap items-center gap-2 rounded-[12px] bg-raised p-3 shadow-dialog"
    >
      <p role="status" className="num mr-auto px-1 text-sm font-[550]">
        {count} selected
      </p>
      <Button size="sm" onClick={() => onMoveDays(-1)}>
        Move one day earlier
      </Button>
      <Button size="sm" onClick={() => onMoveDays(1)}>
        Move one day later
      </Button>
      <Button size="sm" onClick={onAskTime}>
        Move to…
      </Button>
      <Button size="sm" onClick={onDrafts}>
        Unschedule
      </Button>
      <Button size="sm" variant="quiet" onClick={onClear}>
        Clear
      </Button>
    </section>
  );
}

/** The query in the URL, without asking the server for the page again. */
const useCalendarQuery = (first: CalendarQuery) => {
  const [query, setQuery] = useState(first);
  const change = useStableCallback((some: Partial<CalendarQuery>) => {
    const next = { ...query, ...some };
    setQuery(next);
    editQuery((search) => writeCalendarQuery(search, next));
  });
  return { query, change };
};

/** The pin's card, or what leads to it in the cell that has no room for it. */
const findPin = (id: string, target?: { date: string; hour?: number }): HTMLElement | null => {
  const hour = target?.hour === undefined ? "" : `[data-hour="${target.hour}"]`;
  const cell = `td[data-date="${target?.date}"]${hour}`;
  for (const place of [`[data-pin-id="${id}"]`, `${cell} [data-slot=more-pins]`, `${cell} button`]) {
    const found = [...document.querySelectorAll<HTMLElement>(place)].find((one) => one.checkVisibility());
    if (found) return found;
  }
  return null;
};

/** Focuses the pin, unless the user has moved on. */
const focusPin = ({ pins: [pin], target }: KeyboardMove): void => {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) findPin(pin?.id ?? "", target)?.focus({ preventScroll: true });
  });
};

type PlanProps = { calendar: Calendar; zone: string; slots: readonly PostingSlot[] };

/** Plans and sends moves of scheduled pins and drafts. */
const usePlacing = ({ calendar, zone, slots }: PlanProps) => {
  const { pins, move } = calendar;
  const movePins = useStableCallback((ids: readonly string[], target: DropTarget): Promise<boolean> => {
    const chosen = ids.flatMap((id) => pins?.find((pin) => pin.id === id && pin.status === "scheduled") ?? []);
    return move(planMoves(chosen, target, { zone, now: new Date() }), zone);
  });
  /** The view may have left the moved pins behind. */
  const dropMoved = useStableCallback(({ pins: picked, target }: KeyboardMove): Promise<boolean> => {
    const chosen = picked.map((pin) => pins?.find(({ id }) => id === pin.id) ?? pin);
    // The distances of the others are counted from the first one.
    const movable = chosen[0]?.status === "scheduled" ? chosen.filter(({ status }) => status === "scheduled") : [];
    return move(planMoves(movable, target, { zone, now: new Date() }), zone);
  });
  const placeDrafts = useStableCallback((ids: readonly string[], target: DropTarget): Promise<boolean> => {
    const taken = (pins ?? []).filter(({ status }) => status === "scheduled").map(({ at }) => new Date(at));
    return move(planDrafts(ids, target, { zone, now: new Date(), slots, taken }), zone);
  });
  return { movePins, dropMoved, placeDrafts };
};

/** The pins that the filters leave. */
const useFiltered = (pins: readonly CalendarPinWire[] | null, { boardId, status }: CalendarQuery) =>
  useMemo(
    () =>
      (pins ?? []).filter(
        (pin) => (boardId === null || pin.board_id === boardId) && (status === "all" || pin.status === status),
      ),
    [pins, boardId, status],
  );

/** Selected scheduled pins; those that were published or moved out of view leave the selection. */
const useChosen = (shown: readonly CalendarPinWire[]) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const selected = useMemo(() => {
    const movable = new Set(shown.flatMap(({ id, status }) => (status === "scheduled" ? id : [])));
    return new Set([...chosen].filter((id) => movable.has(id)));
  }, [chosen, shown]);
  const toggle = useStableCallback((id: string) =>
    setChosen(new Set(chosen.has(id) ? [...chosen].filter((one) => one !== id) : [...chosen, id])),
  );
  return { selected, toggle, clear: () => setChosen(new Set()) };
};

interface KeyboardMoveProps {
  query: CalendarQuery;
  change: (some: Partial<CalendarQuery>) => void;
  zone: string;
  onDrop: (move: KeyboardMove) => Promise<boolean>;
}

/** Picks pins up with the keyboard. The view follows them. */
const useKeyboardMove = ({ query, change, zone, onDrop }: KeyboardMoveProps) => {
  const [keyboardMove, setKeyboardMove] = useState<KeyboardMove | null>(null);
  const pickUp = (pins: readonly CalendarPinWire[]) => {
    const { date, time } = localTimeOf(new Date(pins[0]?.at ?? 0), zone);
    const hour = Number(time.slice(0, 2));
    const target = query.view === "week" ? ({ kind: "hour", date, hour } as const) : ({ kind: "day", date } as const);
    setKeyboardMove({ pins, target });
  };
  const end = () => {
    setKeyboardMove(null);
    if (keyboardMove) focusPin(keyboardMove);
  };
  const bar = keyboardMove && (
    <KeyboardMoveBar
      keyboardMove={keyboardMove}
      onTarget={(target) => {
        setKeyboardMove({ ...keyboardMove, target });
        if (!daysOf(query).includes(target.date)) change({ date: target.date });
      }}
      onDrop={() => {
        end();
        void onDrop(keyboardMove).then(() => focusPin(keyboardMove));
      }}
      onCancel={end}
    />
  );
  return { keyboardMove, pickUp, bar };
};

type DialogsProps = PlanProps &
  ReturnType<typeof usePlacing> & { account: AccountOption; dialogs: OpenDialogs; fillDays: DayRange | null };

/** What is open; null when closed. */
interface OpenDialogs {
  pinId: string | null;
  question: TimeQuestion | null;
  filling: readonly PinWire[] | null;
  open: (change: Partial<Omit<OpenDialogs, "open">>) => void;
}

const useDialogs = (): OpenDialogs => {
  const [state, setState] = useState<Omit<OpenDialogs, "open">>({ pinId: null, question: null, filling: null });
  const open = useStableCallback((change: Partial<typeof state>) => setState({ ...state, ...change }));
  return { ...state, open };
};

function Dialogs({ account, calendar, zone, movePins, placeDrafts, dialogs, fillDays }: DialogsProps) {
  const { pinId, question, filling, open } = dialogs;
  return (
    <>
      <MoveDialog
        question={question}
        zone={zone}
        onAnswer={({ ids, at }, to) => (at === null ? placeDrafts : movePins)(ids, { kind: "exact", at: to })}
        onClose={() => open({ question: null })}
        focusAfter={() => findPin(question?.ids[0] ?? "")}
      />
      <SlotPlanDialog
        accountId={account.id}
        drafts={filling}
        days={fillDays}
        zone={zone}
        onConfirm={(plan) => calendar.move(plan, zone)}
        onClose={() => open({ filling: null })}
      />
      <OpenedPin
        pinId={pinId}
        username={account.username}
        zone={zone}
        reload={() => void calendar.reload()}
        onClose={() => open({ pinId: null })}
      />
    </>
  );
}

function CalendarNotes({ calendar }: { calendar: Calendar }) {
  return (
    <>
      {calendar.error !== null && (
        <LoadFailed className="mb-4" onRetry={() => void calendar.reload()}>
          We couldn't load these pins.
        </LoadFailed>
      )}
      {calendar.hasMore && (
        <p className="mb-3 text-sm text-ink-3">
          Only the first 3,000 pins of these days are shown. Choose a shorter view for the rest.
        </p>
      )}
      <p id="calendar-keys" className="sr-only">
        Press Space to pick up the pin, then move it with the arrow keys. Press Enter to open it.
      </p>
    </>
  );
}

type CalendarBodyProps = CalendarScreenProps & { account: AccountOption };

function CalendarBody({ account, first, initial, slots, fillDays = null, userTimeZone, now }: CalendarBodyProps) {
  const ownZone = useTimeZone(userTimeZone);
  const zone = account.timeZone ?? ownZone;
  const { now: current } = useNow(new Date(now));
  const today = localTimeOf(current, zone).date;
  const { query, change } = useCalendarQuery(first);
  const days = useMemo(() => daysOf(query), [query]);
  const range = useMemo(() => rangeOf(days, zone), [days, zone]);
  const calendar = useCalendar(account.id, range, initial);
  const placing = usePlacing({ calendar, zone, slots });
  const { movePins } = placing;
  const boards = useBoards(account.id).items;
  const dialogs = useDialogs();
  const [openDate, setOpenDate] = useState<string | null>(null);
  const shown = useFiltered(calendar.pins, query);
  const { selected, toggle, clear } = useChosen(shown);
  const free = useFreeSlots({
    pins: calendar.pins,
    slots: query.view === "week" ? slots : [],
    zone,
    days,
    now: current,
  });
  const { keyboardMove, pickUp, bar } = useKeyboardMove({ query, change, zone, onDrop: placing.dropMoved });

  const askTime = (ids: readonly string[]) =>
    dialogs.open({ question: { ids, at: shown.find(({ id }) => id === ids[0])?.at ?? null } });
  const tools = useTools({
    ...{ zone, today, toggle, boards, selected, askTime, openDay: setOpenDate },
    pickUp: (_, ids) => pickUp(ids.flatMap((id) => shown.find((one) => one.id === id) ?? [])),
    ...{ move: movePins, place: placing.placeDrafts },
    openPin: (pinId) => dialogs.open({ pinId }),
  });
  const { pending } = calendar;
  const marks = useMemo((): CalendarMarks => ({ selected, pending, keyboardMove }), [selected, pending, keyboardMove]);
  // By time, so that the first one is the earliest.
  const chosen = shown.filter(({ id }) => selected.has(id));
  const inOrder = chosen.map(({ id }) => id);
  const moveDays = (by: number) => {
    const { date } = localTimeOf(new Date(chosen[0]?.at ?? now), zone);
    void movePins(inOrder, { kind: "day", date: addDays(date, by) });
  };

  return (
    <CalendarContext value={tools}>
      <MarksContext value={marks}>
        <CalendarToolbar
          query={query}
          today={today}
          zone={zone}
          boards={boards ?? []}
          settingsPath={slotsUrl(account.id, fillDays)}
          onChange={change}
        />
        <CalendarNotes calendar={calendar} />
        <div className="grid gap-5 xl:grid-cols-[minmax(0,1fr)_260px]" aria-busy={calendar.pins === null}>
          <div className="min-w-0">
            {query.view === "month" && <MonthView days={days} pins={shown} month={query.date.slice(0, 7)} />}
            {query.view === "week" && <WeekView days={days} pins={shown} free={free} />}
            {query.view === "list" && <ListView days={days} pins={shown} isLoading={calendar.pins === null} />}
            {selected.size > 0 && (
              <SelectionBar
                count={selected.size}
                onAskTime={() => askTime(inOrder)}
                onMoveDays={moveDays}
                onDrafts={() => void movePins(inOrder, { kind: "drafts" })}
                onClear={clear}
              />
            )}
          </div>
          <DraftTray
            accountId={account.id}
            drafts={calendar.drafts}
            hasMore={calendar.hasMoreDrafts}
            hasSlots={slots.length > 0}
            fillDays={fillDays}
            onFill={(filling) => dialogs.open({ filling })}
            onSchedule={(chosen) => dialogs.open({ question: { ids: chosen.map(({ id }) => id), at: null } })}
          />
        </div>
        {bar}
        <DayDialog date={openDate} pins={shown} zone={zone} onClose={() => setOpenDate(null)} />
        <Dialogs {...placing} {...{ account, calendar, zone, slots, dialogs, fillDays }} />
      </MarksContext>
    </CalendarContext>
  );
}

type CalendarScreenProps = {
  accounts: readonly AccountOption[];
  accountId: string | null;
  first: CalendarQuery;
  initial: InitialCalendar | null;
  slots: readonly PostingSlot[];
  /** Days whose free slots are to be filled. */
  fillDays?: DayRange | null;
  userTimeZone: string;
  /** When the page was rendered. */
  now: string;
};

/** The calendar of one account: month, week, or list, with its drafts beside it. */
export function CalendarScreen(props: CalendarScreenProps) {
  const { accounts, accountId } = props;
  const account = accounts.find(({ id }) => id === accountId);
  return (
    <>
      <PageHeader
        title="Calendar"
        action={
          <AccountChoice
            accounts={[...accounts]}
            value={accountId}
            isLabelHidden
            onChange={(id) => window.location.assign(otherAccountUrl(id))}
          />
        }
      >
        See when each pin goes out, and move pins to different days.
      </PageHeader>
      {account ? (
        <CalendarBody key={account.id} {...props} account={account} />
      ) : (
        <NoAccount>Connect a Pinterest account to plan its pins.</NoAccount>
      )}
    </>
  );
}
