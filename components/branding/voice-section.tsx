"use client";

import { useId, useState } from "react";
import { useUnsaved } from "#components/shared/use-unsaved.ts";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { useFocusOnProblem } from "#components/ui/use-focus-on-problem.ts";
import { callAction } from "#lib/client/api.ts";
import { saveVoiceAction } from "#lib/features/branding/actions.ts";
import { TEXTS, VOICE_ABOUT_MAX, VOICE_LANGUAGES, type VoiceLanguage } from "#lib/features/branding/constants.ts";
import type { SaveVoiceInput, VoiceWire } from "#lib/features/branding/schema.ts";
import { BrandSection } from "./brand-section.tsx";
import { ImageStyleFields } from "./image-style-fields.tsx";
import { problemsByKey, type StyleChoice, type StyleRow } from "./own-styles.tsx";

type Typed = Omit<VoiceWire, "words_to_use" | "words_to_avoid" | "own_styles" | "own_style"> &
  StyleChoice & { use: string; avoid: string };

/** @param before the rows that were saved, which keep their keys */
const toTyped = (voice: VoiceWire, before: readonly StyleRow[] = []): Typed => {
  const { words_to_use, words_to_avoid, own_styles, own_style, ...rest } = voice;
  const rows = own_styles.map(({ name, about }, at) => ({ key: before[at]?.key ?? at + 1, name, about }));
  return {
    ...rest,
    ...{ own_styles: rows, own_key: rows.find(({ name }) => name === own_style)?.key ?? null },
    ...{ use: words_to_use.join(", "), avoid: words_to_avoid.join(", ") },
  };
};

const toInput = (accountId: string, { use, avoid, ...typed }: Typed): SaveVoiceInput => ({
  ...{ accountId, about: typed.about, wordsToUse: toWords(use), wordsToAvoid: toWords(avoid) },
  ...{ language: typed.language, hasEmoji: typed.has_emoji, hasHashtags: typed.has_hashtags },
  ownStyles: typed.own_styles.map(({ name, about }) => ({ name, about })),
  ownStyle: typed.own_styles.find(({ key }) => key === typed.own_key)?.name ?? null,
  ...{ imageStyle: typed.image_style, imageAbout: typed.image_about, hasBrandColors: typed.has_brand_colors },
});

/** Those that show their error, as do the rows of own styles. */
const FIELDS = ["about", "wordsToUse", "wordsToAvoid", "language", "ownStyles", "imageAbout"];
const isShownAtField = (name: string): boolean => FIELDS.includes(name) || name.startsWith("ownStyles.");

const toWords = (text: string): string[] => text.split(/[,\n]/);

const LANGUAGES = Object.entries(VOICE_LANGUAGES) as [VoiceLanguage, string][];

const toLanguage = (code: string): VoiceLanguage | null => LANGUAGES.find(([known]) => known === code)?.[0] ?? null;

/** How texts and images of an account are generated. */
export function VoiceSection({ accountId, first }: { accountId: string; first: VoiceWire }) {
  const headingId = useId();
  const [saved, setSaved] = useState(() => toTyped(first));
  const [typed, setTyped, isSaved] = useUnsaved(`voice ${accountId}`, saved);
  const [problems, setProblems] = useState<Record<string, string[]>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [rejections, setRejections] = useState(0);
  const element = useFocusOnProblem(rejections);
  const change = (part: Partial<Typed>) => setTyped({ ...typed, ...part });
  const save = async () => {
    setBusy(true);
    const answer = await callAction(saveVoiceAction(toInput(accountId, typed)));
    setBusy(false);
    const fields = (!answer.ok && answer.fields) || {};
    setProblems(problemsByKey(fields, typed.own_styles));
    setProblem(answer.ok || Object.keys(fields).some(isShownAtField) ? null : answer.text);
    if (!answer.ok) {
      setRejections((count) => count + 1);
      return;
    }
    const stored = toTyped(answer.value, typed.own_styles);
    setSaved(stored);
    setTyped(stored);
    showToast(TEXTS.voiceSaved, { hasCheck: true });
  };
  return (
    <BrandSection headingId={headingId}>
      <div>
        <h2 id={headingId} className="title-3">
          Voice and images
        </h2>
        <p className="text-sm text-ink-3">Applies to text and images you generate from now on.</p>
      </div>
      <form
        ref={element}
        aria-labelledby={headingId}
        className="grid gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void save();
        }}
      >
        <fieldset className="contents" disabled={isBusy}>
          <TextAreaField
            label="Brand voice"
            rows={4}
            maxLength={VOICE_ABOUT_MAX}
            hint="Who you write for and how you sound, in a few sentences."
            placeholder="Warm and practical, for people who cook for a family on weeknights."
            value={typed.about}
            error={problems.about?.[0]}
            onChange={(event) => change({ about: event.target.value })}
          />
          <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
            <TextField
              label="Words to use"
              hint="Separate words and phrases with commas."
              value={typed.use}
              error={problems.wordsToUse?.[0]}
              onChange={(event) => change({ use: event.target.value })}
            />
            <TextField
              label="Words to avoid"
              hint="We check generated text for these words."
              value={typed.avoid}
              error={problems.wordsToAvoid?.[0]}
              onChange={(event) => change({ avoid: event.target.value })}
            />
            <SelectField
              label="Language"
              value={typed.language ?? ""}
              error={problems.language?.[0]}
              onChange={(event) => change({ language: toLanguage(event.target.value) })}
            >
              <option value="">Same as the keyword</option>
              {LANGUAGES.map(([code, name]) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </SelectField>
          </div>
          <div className="flex flex-wrap gap-x-6">
            <Checkbox
              label="Add hashtags"
              checked={typed.has_hashtags}
              onChange={(event) => change({ has_hashtags: event.target.checked })}
            />
            <Checkbox
              label="Use emoji in descriptions"
              checked={typed.has_emoji}
              onChange={(event) => change({ has_emoji: event.target.checked })}
            />
          </div>
          <ImageStyleFields typed={typed} problems={problems} onChange={change} />
        </fieldset>
        {problem && (
          <p role="alert" className="text-sm text-failed-ink">
            {problem}
          </p>
        )}
        <Button type="submit" variant="primary" className="justify-self-start" isBusy={isBusy} disabled={isSaved}>
          Save voice
        </Button>
      </form>
    </BrandSection>
  );
}
