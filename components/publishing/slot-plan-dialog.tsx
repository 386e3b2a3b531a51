"use client";

import { useState } from "react";
import { PinThumb } from "#components/shared/pin-thumb.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FieldNote } from "#components/ui/field.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { type DayRange, slotsUrl } from "#lib/core/paths.ts";
import { countOf } from "#lib/core/text.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { planIntoSlotsAction } from "#lib/features/calendar/actions.ts";
import { daysBetween, daysProblem } from "#lib/features/calendar/policy.ts";
import type { PlannedSlotWire } from "#lib/features/calendar/schema.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { warningCountText } from "#lib/features/planning/texts.ts";
import { clockChangeNote, momentLabel } from "./moments.ts";
import type { MovePlan } from "./move-plan.ts";
import { startDays } from "./read-start.ts";
import { paceNote, usePaceWarnings } from "./use-pace-warnings.ts";

type SlotPlanDialogProps = {
  accountId: string;
  /** The drafts to plan, in their order; null while closed. */
  drafts: readonly PinWire[] | null;
  /** The days to begin with; else today and the days after it. */
  days?: DayRange | null;
  zone: string;
  onConfirm: (plan: MovePlan) => Promise<boolean>;
  onClose: () => void;
  focusAfter?: () => HTMLElement | null;
};

const NEXT = "next";
const EVENLY = "evenly";
const SPREADS = [7, 14, 30, 60] as const;

/** How pins are spread over the days: in the first free slots, evenly, or evenly over this many days. */
type Spread = string;

interface Search {
  firstDay: string;
  lastDay: string | null;
  spreadDays: number | null;
}

const spreadDaysOf = (spread: Spread, firstDay: string, lastDay: string | null): number | null => {
  if (spread === NEXT) return null;
  return lastDay === null ? Number(spread) : daysBetween(firstDay, lastDay) + 1;
};

/** The fields of the dialog. An empty first day is today; without a last day, all pins get a slot. */
const useSearch = (days: DayRange | null, zone: string) => {
  const [now] = useState(() => new Date());
  const today = localTimeOf(now, zone).date;
  const [from, setFrom] = useState(days && days.from > today ? days.from : today);
  const [to, setTo] = useState(days?.to ?? "");
  const [chosen, setSpread] = useState<Spread>(days ? EVENLY : NEXT);
  const firstDay = from > today ? from : today;
  const lastDay = to === "" ? null : to;
  // Over chosen days there is one way to spread evenly, and without them none without a number.
  const spread = chosen !== NEXT && lastDay !== null ? EVENLY : chosen === EVENLY ? NEXT : chosen;
  const search: Search = { firstDay, lastDay, spreadDays: spreadDaysOf(spread, firstDay, lastDay) };
  const problem = daysProblem(firstDay, lastDay, today);
  return { fields: { from, to, spread, bounds: startDays(now, zone), setFrom, setTo, setSpread }, search, problem };
};

type FieldsProps = ReturnType<typeof useSearch>["fields"] & { problem: string | null };

function SearchFields({ from, to, spread, bounds, problem, setFrom, setTo, setSpread }: FieldsProps) {
  return (
    <div className="grid gap-3">
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <TextField label="From" type="date" {...bounds} value={from} onChange={({ target }) => setFrom(target.value)} />
        <TextField
          label="To (optional)"
          type="date"
          {...bounds}
          value={to}
          {...(problem !== null && { error: problem })}
          onChange={({ target }) => setTo(target.value)}
        />
      </div>
      <SelectField label="Spread" value={spread} onChange={({ target }) => setSpread(target.value)}>
        <option value={NEXT}>In the next free slots</option>
        {to !== "" && <option value={EVENLY}>Evenly over these days</option>}
        {to === "" &&
          SPREADS.map((count) => (
            <option key={count} value={count}>
              Evenly over {count} days or more
            </option>
          ))}
      </SelectField>
    </div>
  );
}

type PlannedProps = {
  drafts: readonly PinWire[];
  slots: readonly PlannedSlotWire[];
  warnings: ReadonlyMap<string, string> | null;
  zone: string;
  isBusy: boolean;
};

/** Every draft with its time; those that don't fit come last. */
function Planned({ drafts, slots, warnings, zone, isBusy }: PlannedProps) {
  const left = drafts.length - slots.length;
  const tooFast = warnings?.size ?? 0;
  return (
    <>
      <FieldNote role="status">
        {left > 0 &&
          `${countOf(left, "pin")} ${left === 1 ? "doesn't" : "don't"} fit on these days and ${left === 1 ? "stays a draft" : "stay drafts"}. `}
        {tooFast > 0 && `${warningCountText(tooFast)} You can still schedule ${tooFast === 1 ? "it" : "them"}.`}
      </FieldNote>
      <ol className="grid max-h-[40dvh] gap-1 overflow-y-auto" aria-busy={isBusy}>
        {drafts.map(({ id, title, image_url }, index) => {
          const slot = slots[index];
          const note = slot && slot.clock !== "plain" && clockChangeNote(slot.at, zone);
          return (
            <li key={id} className="flex items-center gap-3 py-1">
              <PinThumb src={image_url} className="h-11 w-7" />
              <span className="min-w-0 flex-1">
                <span className={slot ? "num block font-[550]" : "block text-ink-2"}>
                  {slot ? momentLabel(slot.at, zone) : "No free slot"}
                </span>
                <span className="block truncate text-sm text-ink-3">{title}</span>
                {note && <span className="block text-xs text-ink-3">{note}</span>}
                {slot && warnings?.has(id) && <span className="block text-xs text-low-ink">{warnings.get(id)}</span>}
              </span>
            </li>
          );
        })}
      </ol>
    </>
  );
}

type PlanProps = Omit<SlotPlanDialogProps, "drafts" | "focusAfter"> & { drafts: readonly PinWire[] };

function Plan({ accountId, drafts, days = null, zone, onConfirm, onClose }: PlanProps) {
  const { fields, search, problem } = useSearch(days, zone);
  const [isBusy, setBusy] = useState(false);
  const pinIds = drafts.map(({ id }) => id);
  const { data, error, isReloading, reload } = useApiQuery<PlannedSlotWire[]>(
    problem === null ? [...queryKeys.calendar, "slot-plan", accountId, search, ...pinIds] : null,
    () => actionValue(planIntoSlotsAction({ accountId, pinIds, timeZone: zone, ...search })),
  );
  const warnings = usePaceWarnings((data ?? []).map(({ post_id, at }) => ({ id: post_id, at })));
  const confirm = async () => {
    if (!data || isBusy) return;
    setBusy(true);
    const moves = data.map(({ post_id, at }) => ({ id: post_id, from: null, to: at }));
    const pace = warnings && { pace: paceNote(warnings) };
    const isDone = await onConfirm({ moves, problem: null, note: null, requiresFreeSlots: true, ...pace });
    setBusy(false);
    if (isDone) onClose();
    else reload();
  };
  const count = data?.length ?? drafts.length;
  return (
    <div className="mt-5 grid gap-4">
      <SearchFields {...fields} problem={problem} />
      {error !== null && (
        <div className="grid justify-items-start gap-2">
          <FieldNote role="alert" isError>
            {error instanceof Error ? error.message : "We couldn't find free slots. Please try again."}
          </FieldNote>
          <LinkButton size="sm" href={slotsUrl(accountId, days)}>
            Set up posting slots
          </LinkButton>
        </div>
      )}
      {!data && error === null && problem === null && <Skeleton shape="card" className="h-40 w-full" />}
      {data && <Planned drafts={drafts} slots={data} warnings={warnings} zone={zone} isBusy={isReloading} />}
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button
          variant="primary"
          isBusy={isBusy}
          disabled={!data || isReloading || error !== null}
          onClick={() => void confirm()}
        >
          Schedule {count === 1 ? "this pin" : `${count} pins`}
        </Button>
      </DialogActions>
    </div>
  );
}

/** Shows which slot each draft would take. Nothing is scheduled before the user confirms. */
export function SlotPlanDialog({ drafts, focusAfter, ...props }: SlotPlanDialogProps) {
  return (
    <Dialog
      isOpen={drafts !== null}
      onClose={props.onClose}
      title="Fill free slots"
      description="Check each pin's time before anything is scheduled."
      width="md"
      focusAfter={focusAfter}
      hasCloseButton
    >
      {drafts && <Plan {...props} drafts={drafts} />}
    </Dialog>
  );
}
