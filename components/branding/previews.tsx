"use client";

import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { cn } from "#components/ui/cn.ts";
import { FieldNote } from "#components/ui/field.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { useLatest } from "#components/ui/use-latest.ts";
import { type ActionResult, callAction } from "#lib/client/api.ts";
import { type BrandColors, type FontPairing, TEMPLATE_NAMES, type TemplateName } from "#lib/core/images.ts";
import { previewTemplatesAction, readBrandingAction } from "#lib/features/branding/actions.ts";
import { TEMPLATES } from "#lib/features/branding/constants.ts";
import type { BrandingWire, PreviewsWire, PreviewWire } from "#lib/features/branding/schema.ts";

type Branding = { data: BrandingWire | null; problem: string | null; reload: () => void };

/** Reads an account's kit and the templates of pins. Null reads nothing. */
export function useBranding(accountId: string | null, pinIds: readonly string[]): Branding {
  const [data, setData] = useState<BrandingWire | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const key = pinIds.join(" ");

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round reads again
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

/** `words` is the text on the image; null uses the pin's title. */
export type PreviewRequest = {
  accountId: string;
  pinId: string | null;
  words: string | null;
  signature: string;
  hasLogo: boolean;
  colors?: BrandColors;
  fontPairing?: FontPairing;
  /** Not sent; a changed logo only triggers new previews. */
  logoUrl?: string | null;
};

export type Previews = {
  /** By template; the old ones stay until new ones arrive. */
  small: Partial<Record<TemplateName, PreviewWire>>;
  /** The selected template, as it will be stored. */
  large: PreviewWire | null;
  isGenerating: boolean;
  problem: string | null;
  /** Characters that the fonts lack. */
  missing: readonly string[];
  isShortened: boolean;
};

type Call = { requested: PreviewRequest; template: TemplateName; isRow: boolean };
type Answers = { large: ActionResult<PreviewsWire>; small: ActionResult<PreviewsWire> | null };

const NOTHING: Previews = {
  small: {},
  large: null,
  isGenerating: true,
  problem: null,
  missing: [],
  isShortened: false,
};
/** Delays after a keystroke and after a click. */
const PAUSE_MS = { typing: 350, choosing: 0 } as const;

const fetchPreviews = async ({ requested: { logoUrl: _, ...requested }, template, isRow }: Call): Promise<Answers> => {
  const large = await callAction(previewTemplatesAction({ ...requested, templates: [template], isLarge: true }));
  if (!isRow || !large.ok || large.value.missing.length > 0) return { large, small: null };
  return { large, small: await callAction(previewTemplatesAction({ ...requested, templates: [...TEMPLATE_NAMES] })) };
};

const merge = (before: Previews, { large, small }: Answers): Previews => {
  if (!large.ok) return { ...before, isGenerating: false, problem: large.text, missing: [] };
  const { previews, missing, is_shortened: isShortened } = large.value;
  const row = small?.ok ? Object.fromEntries(small.value.previews.map((one) => [one.template, one])) : before.small;
  return {
    small: row,
    large: previews[0] ?? before.large,
    isGenerating: false,
    problem: null,
    missing,
    isShortened,
  };
};

/**
 * Live previews of the selected template and, unless `hasRow` is false, small ones of all templates. Null requests
 * nothing.
 */
export function usePreviews(
  requested: PreviewRequest | null,
  template: TemplateName,
  { hasRow = true }: { hasRow?: boolean } = {},
): Previews {
  const [previews, setPreviews] = useState(NOTHING);
  const receive = useCallback((answers: Answers, { requested: drawn }: Call) => {
    setPreviews((before) => merge(before, answers));
    if (answers.small?.ok) setRowKey(JSON.stringify(drawn));
  }, []);
  const request = useLatest(fetchPreviews, receive);
  const key = requested && JSON.stringify(requested);
  const requestedKey = useRef<string | null>(null);
  // The request that the small previews belong to, set once they have arrived.
  const [rowKey, setRowKey] = useState<string | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents the request
  useEffect(() => {
    if (!requested || key === null) return;
    setPreviews((before) => ({ ...before, isGenerating: true }));
    const isSame = key === requestedKey.current;
    requestedKey.current = key;
    request({ requested, template, isRow: hasRow && key !== rowKey }, isSame ? PAUSE_MS.choosing : PAUSE_MS.typing);
  }, [key, template, request]);

  return previews;
}

type PreviewPaneProps = {
  previews: Previews;
  /** Shown beside a form, with less space on small screens. */
  isAside?: boolean;
  children?: ReactNode;
};

const listOf = (characters: readonly string[]): string =>
  characters.slice(0, 8).join(" ") + (characters.length > 8 ? " and more" : "");

function Note({ previews: { problem, missing, isShortened, large } }: { previews: Previews }) {
  if (problem) return <FieldNote isError>{problem}</FieldNote>;
  if (missing.length > 0) {
    return (
      <FieldNote isError>The fonts don't support these characters: {listOf(missing)}. Enter different text.</FieldNote>
    );
  }
  return (
    <p className="text-xs text-ink-3">
      {large && (
        <>
          Text contrast on this image: <span className="num">{large.contrast.toFixed(1)}</span>.{" "}
        </>
      )}
      {isShortened && "Emoji are left out because the fonts don't have them."}
    </p>
  );
}

export function PreviewPane({ previews, isAside = false, children }: PreviewPaneProps) {
  const { large, isGenerating, missing, problem } = previews;
  const isStale = isGenerating || missing.length > 0 || problem !== null;
  return (
    <div
      className={cn(
        "grid gap-3",
        // The width follows from the height; the image itself would take all available space.
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
          // biome-ignore lint/performance/noImgElement: a data URL
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
        {isGenerating && <Spinner className="absolute" />}
      </span>
      {children}
      <div aria-live="polite">
        <Note previews={previews} />
      </div>
    </div>
  );
}
