"use client";

import Link from "next/link";
import { useRef, useState } from "react";
import { shortDay } from "#components/publishing/moments.ts";
import { PinThumb } from "#components/shared/pin-thumb.tsx";
import { Button } from "#components/ui/button.tsx";
import { CHECKBOX } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { type DayRange, generatedPostsUrl, slotsUrl } from "#lib/core/paths.ts";
import { daysProblem } from "#lib/features/calendar/policy.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { useCalendarTools } from "./calendar-context.ts";
import { useDraggable, useDropTarget } from "./drag.ts";

type DraftProps = { pin: PinWire; isChosen: boolean; chosen: readonly string[]; onToggle: () => void };

function Draft({ pin, isChosen, chosen, onToggle }: DraftProps) {
  const row = useRef<HTMLLIElement>(null);
  const read = () => {
    const ids = isChosen ? [pin.id, ...chosen.filter((id) => id !== pin.id)] : [pin.id];
    return { ids, isDraft: true };
  };
  const isDragging = useDraggable(row, true, read);
  return (
    <li
      ref={row}
      data-slot="tray-draft"
      className={cn(
        "flex cursor-grab items-center gap-2 rounded-[8px] p-1.5 hover:bg-hover",
        isDragging && "opacity-40",
      )}
    >
      <label className="flex min-h-11 min-w-0 flex-1 items-center gap-2.5">
        <input type="checkbox" className={CHECKBOX} checked={isChosen} onChange={onToggle} />
        <PinThumb src={pin.image_url} className="h-11 w-7" />
        <span className="line-clamp-2 text-sm wrap-anywhere">{pin.title}</span>
      </label>
    </li>
  );
}

/** What to do with the drafts; for given days, also how they get there. */
function TrayHint({ fillDays }: { fillDays: DayRange | null }) {
  const { today } = useCalendarTools();
  const problem = fillDays && daysProblem(fillDays.from, fillDays.to, today);
  if (!fillDays || problem) {
    return (
      <p className={cn("text-sm text-ink-3", !problem && "max-md:hidden")}>
        {problem ?? "Drag a draft onto a day, or select drafts to fill your slots."}
      </p>
    );
  }
  return (
    <p className="text-sm text-ink-2">
      Select drafts to fill your free slots from {shortDay(fillDays.from)} to {shortDay(fillDays.to)}.
    </p>
  );
}

type DraftTrayProps = {
  accountId: string;
  drafts: readonly PinWire[];
  /** Whether the account has more drafts than these. */
  hasMore: boolean;
  hasSlots: boolean;
  /** Days whose free slots are to be filled. */
  fillDays: DayRange | null;
  onFill: (chosen: readonly PinWire[]) => void;
  onSchedule: (chosen: readonly PinWire[]) => void;
};

/** Drafts beside the calendar: to drag onto a day, or to put into slots. Scheduled pins can be dropped on it. */
export function DraftTray(props: DraftTrayProps) {
  const { accountId, drafts, hasMore, hasSlots, fillDays, onFill, onSchedule } = props;
  const { move } = useCalendarTools();
  const tray = useRef<HTMLElement>(null);
  const isOver = useDropTarget(tray, { kind: "drafts" }, ({ ids }, target) => move(ids, target));
  const [picked, setPicked] = useState<readonly string[]>([]);
  const chosenPins = picked.flatMap((id) => drafts.find((draft) => draft.id === id) ?? []);
  const chosen = chosenPins.map(({ id }) => id);
  const toggle = (id: string) => setPicked(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <aside
      ref={tray}
      aria-label="Drafts"
      className={cn(
        "grid content-start gap-3 rounded-card bg-surface p-4 shadow-card xl:sticky xl:top-6 xl:self-start",
        isOver && "shadow-[inset_0_0_0_2px_var(--accent)]",
      )}
    >
      <h2 className="flex items-baseline justify-between gap-2 font-semibold">
        Drafts
        <span className="num text-sm font-normal text-ink-3">{hasMore ? `${drafts.length}+` : drafts.length}</span>
      </h2>
      {drafts.length === 0 ? (
        <p className="text-sm text-ink-3">
          Your drafts appear here. Drag a scheduled pin here to make it a draft again.
        </p>
      ) : (
        <>
          <TrayHint fillDays={fillDays} />
          <Button
            size="sm"
            variant="quiet"
            className="justify-self-start"
            onClick={() => setPicked(chosen.length === drafts.length ? [] : drafts.map(({ id }) => id))}
          >
            {chosen.length === drafts.length ? "Clear selection" : `Select all ${drafts.length}`}
          </Button>
          <ul className="-mx-1.5 max-h-[46dvh] overflow-y-auto max-md:max-h-56">
            {drafts.map((pin) => (
              <Draft
                key={pin.id}
                pin={pin}
                isChosen={chosen.includes(pin.id)}
                chosen={chosen}
                onToggle={() => toggle(pin.id)}
              />
            ))}
          </ul>
          {hasMore && (
            <Link className="link text-sm" href={generatedPostsUrl("draft", accountId)}>
              See all drafts
            </Link>
          )}
          {hasSlots ? (
            <Button variant="primary" size="sm" disabled={chosen.length === 0} onClick={() => onFill(chosenPins)}>
              Fill free slots
            </Button>
          ) : (
            <LinkButton size="sm" href={slotsUrl(accountId, fillDays)}>
              Set up posting slots
            </LinkButton>
          )}
          <Button size="sm" disabled={chosen.length === 0} onClick={() => onSchedule(chosenPins)}>
            Choose a time…
          </Button>
        </>
      )}
    </aside>
  );
}
