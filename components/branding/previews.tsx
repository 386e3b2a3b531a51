"use client";

import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { cn } from "#components/ui/cn.ts";
import { FieldNote } from "#components/ui/field.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { useLatest } from "#components/ui/use-latest.ts";
import { type ActionAnswer, callAction } from "#lib/client/api.ts";
import { type BrandColours, type FontPairing, TEMPLATE_NAMES, type TemplateName } from "#lib/core/images.ts";
import { previewTemplatesAction, readBrandingAction } from "#lib/features/branding/actions.ts";
import { TEMPLATES } from "#lib/features/branding/constants.ts";
import type { BrandingWire, PreviewsWire, PreviewWire } from "#lib/features/branding/schema.ts";

type Branding = { data: BrandingWire | null; problem: string | null; reload: () => void };

/** The kit of an account, and what stands on pins; read when it is asked for, null asks for nothing. */
export function useBranding(accountId: string | null, pinIds: readonly string[]): Branding {
  const [data, setData] = useState<BrandingWire | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const key = pinIds.join(" ");

  // biome-ignore lint/correctness/useExhaustiveDependencies: a round is another try
  useEffect(() => {
    if (!accountId) return;
    let isWanted = true;
    setData(null);
    setProblem(null);
    void callAction(readBrandingAction({ accountId, pinIds: key === "" ? [] : key.split(" ") })).then((answer) => {
      if (!isWanted) return;
      if (answer.ok) setData(answer.value);
      else setProblem(answer.text);
    });
    return () => {
      isWanted = false;
    };
  }, [accountId, key, round]);

  return { data, problem, reload: useCallback(() => setRound((before) => before + 1), []) };
}

/** What previews are drawn with; null words take the pin's title. */
export type PreviewAsked = {
  accountId: string;
  pinId: string | null;
  words: string | null;
  signature: string;
  hasLogo: boolean;
  colours?: BrandColours;
  fontPairing?: FontPairing;
  /** Not sent: with another logo, previews are others. */
  logoUrl?: string | null;
};

export type Previews = {
  /** By template; kept while newer ones are drawn. */
  small: Partial<Record<TemplateName, PreviewWire>>;
  /** The chosen one as it will be stored. */
  large: PreviewWire | null;
  isDrawing: boolean;
  /** What stands against drawing it, or null. */
  problem: string | null;
  /** Letters that the faces do not have. */
  missing: readonly string[];
  isShortened: boolean;
};

type Call = { asked: PreviewAsked; template: TemplateName; isRow: boolean };
type Answers = { large: ActionAnswer<PreviewsWire>; small: ActionAnswer<PreviewsWire> | null };

const NOTHING: Previews = { small: {}, large: null, isDrawing: true, problem: null, missing: [], isShortened: false };
/** After a key and after a click. */
const PAUSE_MS = { typing: 350, choosing: 0 } as const;

const draw = async ({ asked: { logoUrl: _, ...asked }, template, isRow }: Call): Promise<Answers> => {
  const large = await callAction(previewTemplatesAction({ ...asked, templates: [template], isLarge: true }));
  if (!isRow || !large.ok || large.value.missing.length > 0) return { large, small: null };
  return { large, small: await callAction(previewTemplatesAction({ ...asked, templates: [...TEMPLATE_NAMES] })) };
};

const merge = (before: Previews, { large, small }: Answers): Previews => {
  if (!large.ok) return { ...before, isDrawing: false, problem: large.text, missing: [] };
  const { previews, missing, is_shortened: isShortened } = large.value;
  const row = small?.ok ? Object.fromEntries(small.value.previews.map((one) => [one.template, one])) : before.small;
  return {
    small: row,
    large: previews[0] ?? before.large,
    isDrawing: false,
    problem: null,
    missing,
    isShortened,
  };
};

/**
 * Live previews of the chosen template and, in small, of all of them (unless `hasRow` is false), as what is asked changes.
 * Null asks for nothing.
 */
export function usePreviews(
  asked: PreviewAsked | null,
  template: TemplateName,
  { hasRow = true }: { hasRow?: boolean } = {},
): Previews {
  const [previews, setPreviews] = useState(NOTHING);
  const tell = useCallback((answers: Answers, { asked: drawn }: Call) => {
    setPreviews((before) => merge(before, answers));
    if (answers.small?.ok) setRowKey(JSON.stringify(drawn));
  }, []);
  const ask = useLatest(draw, tell);
  const key = asked && JSON.stringify(asked);
  const askedKey = useRef<string | null>(null);
  // What the row was last drawn for; known only once it is there.
  const [rowKey, setRowKey] = useState<string | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is asked
  useEffect(() => {
    if (!asked || key === null) return;
    setPreviews((before) => ({ ...before, isDrawing: true }));
    const isSame = key === askedKey.current;
    askedKey.current = key;
    ask({ asked, template, isRow: hasRow && key !== rowKey }, isSame ? PAUSE_MS.choosing : PAUSE_MS.typing);
  }, [key, template, ask]);

  return previews;
}

type PreviewPaneProps = {
  previews: Previews;
  /** Beside a form, which leaves it less room on small screens. */
  isAside?: boolean;
  children?: ReactNode;
};

const listOf = (letters: readonly string[]): string =>
  letters.slice(0, 8).join(" ") + (letters.length > 8 ? " and more" : "");

function Note({ previews: { problem, missing, isShortened, large } }: { previews: Previews }) {
  if (problem) return <FieldNote isError>{problem}</FieldNote>;
  if (missing.length > 0) {
    return <FieldNote isError>The fonts have no letters for: {listOf(missing)}. Write other words.</FieldNote>;
  }
  return (
    <p className="text-xs text-ink-3">
      {large && (
        <>
          Contrast of the words <span className="num">{large.contrast.toFixed(1)}</span>, measured on the picture.{" "}
        </>
      )}
      {isShortened && "Emoji are left out: the fonts have none."}
    </p>
  );
}

/** The chosen template on the picture, as it will be. */
export function PreviewPane({ previews, isAside = false, children }: PreviewPaneProps) {
  const { large, isDrawing, missing, problem } = previews;
  const isStale = isDrawing || missing.length > 0 || problem !== null;
  return (
    <div
      className={cn(
        "grid gap-3",
        // As wide as its height makes it: the picture itself would take all the room there is.
        isAside && "max-[64rem]:grid-cols-[calc(120px*9/14)_minmax(0,1fr)] max-[64rem]:content-center",
        isAside && "max-[64rem]:gap-x-4 max-[64rem]:gap-y-1",
      )}
    >
      <span
        data-stale={isStale || undefined}
        className={cn(
          "group relative grid min-h-50 place-items-center rounded-pin bg-board p-2.5 aspect-9/14",
          "shadow-[inset_0_0_0_1px_var(--line)]",
          isAside
            ? "max-[64rem]:row-span-2 max-[64rem]:h-30 max-[64rem]:min-h-0 max-[64rem]:p-1.5"
            : "max-md:mx-auto max-md:w-[min(220px,62vw)]",
        )}
      >
        {large && (
          // biome-ignore lint/performance/noImgElement: a data address, drawn for this moment
          <img
            src={large.image}
            alt={`Preview: ${TEMPLATES[large.template].about}`}
            width={560}
            height={871}
            className={cn(
              "h-auto max-h-full min-h-0 w-auto max-w-full rounded-[9px] shadow-pin",
              "transition-[opacity] duration-(--dur-hover) ease-out group-data-stale:opacity-45",
              isAside && "max-[64rem]:rounded-[6px]",
            )}
          />
        )}
        {isDrawing && <Spinner className="absolute" />}
      </span>
      {children}
      <div aria-live="polite">
        <Note previews={previews} />
      </div>
    </div>
  );
}
