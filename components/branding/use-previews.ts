"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useLatest } from "#components/branding/use-latest.ts";
import { type ActionAnswer, callAction } from "#lib/client/call-action.ts";
import { type BrandColours, type FontPairing, TEMPLATE_NAMES, type TemplateName } from "#lib/core/picture-templates.ts";
import { previewTemplatesAction } from "#lib/features/branding/actions.ts";
import type { PreviewsWire, PreviewWire } from "#lib/features/branding/schema.ts";

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
