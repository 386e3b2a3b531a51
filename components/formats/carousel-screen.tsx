"use client";

import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Images from "lucide-react/icons/images";
import X from "lucide-react/icons/x";
import { useRef, useState } from "react";
import type { AccountOption } from "#components/accounts/account-choice.tsx";
import { PinFace } from "#components/shared/pin.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { FieldNote } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useDroppedFiles } from "#components/ui/use-dropped-files.ts";
import { useFocusAfterRemoval } from "#components/ui/use-focus-after-removal.ts";
import { SLIDES_MAX, SLIDES_MIN, slidePart } from "#lib/features/formats/constants.ts";
import { DESCRIPTION_MAX, IMAGE_HINT, LINK_MAX, TITLE_MAX } from "#lib/features/pins/constants.ts";
import { FileDrop } from "./file-drop.tsx";
import { FormatForm, FormatScreen } from "./format-form.tsx";
import { PinFields } from "./pin-fields.tsx";
import { checkTexts, type PinTexts, toPinJson, useFormatForm } from "./use-format-form.ts";
import { useFormatSend } from "./use-format-send.ts";
import {
  countProblem,
  type NewSlide,
  type SlideProblems,
  type Slides,
  type SlideText,
  slideProblems,
  useSlides,
} from "./use-slides.ts";

const PATH = "/api/users/pinterest/create-carousel/";
const ACCEPTED = "image/png,image/jpeg,image/gif,image/webp";

type SlideProps = {
  slide: NewSlide;
  number: number;
  all: Slides;
  problems: SlideProblems | undefined;
  isDisabled: boolean;
};

function SlideButtons({ slide, number, all, isDisabled }: Omit<SlideProps, "problems">) {
  return (
    <div className="absolute top-3 right-3 flex gap-1">
      <IconButton
        label={`Move slide ${number} up`}
        disabled={isDisabled}
        aria-disabled={number === 1}
        onClick={() => all.move(slide.key, -1)}
      >
        <ArrowUp aria-hidden="true" />
      </IconButton>
      <IconButton
        label={`Move slide ${number} down`}
        disabled={isDisabled}
        aria-disabled={number === all.slides.length}
        onClick={() => all.move(slide.key, 1)}
      >
        <ArrowDown aria-hidden="true" />
      </IconButton>
      <IconButton
        label={`Remove slide ${number}`}
        data-slot="slide-remove"
        disabled={isDisabled}
        onClick={() => all.remove(slide.key)}
      >
        <X aria-hidden="true" />
      </IconButton>
    </div>
  );
}

const FIELDS = [
  { part: "title", label: "Title", maxLength: TITLE_MAX },
  { part: "description", label: "Description", maxLength: DESCRIPTION_MAX },
  { part: "url", label: "Link", maxLength: LINK_MAX },
] as const satisfies { part: SlideText; label: string; maxLength: number }[];

function SlideRow({ slide, number, all, problems, isDisabled }: SlideProps) {
  return (
    <li
      className="relative grid grid-cols-[96px_minmax(0,1fr)] gap-4 rounded-card border border-line bg-surface p-4 pt-14"
      aria-label={`Slide ${number}`}
    >
      <p className="num absolute top-5 left-4 text-xs text-ink-3" aria-hidden="true">
        Slide {number}
      </p>
      <SlideButtons slide={slide} number={number} all={all} isDisabled={isDisabled} />
      <div className="grid content-start gap-1.5">
        <PinFace src={slide.preview} alt="" className="bg-well [&_img]:object-contain" />
        {problems?.image && (
          <FieldNote isError tabIndex={-1} data-fault>
            {problems.image}
          </FieldNote>
        )}
      </div>
      <div className="grid min-w-0 content-start gap-3">
        {FIELDS.map(({ part, label, maxLength }) => (
          <TextField
            key={part}
            label={
              <>
                {label}
                <span className="sr-only"> of slide {number}</span>
              </>
            }
            placeholder={part === "url" ? "https:// (optional)" : "Optional"}
            inputMode={part === "url" ? "url" : undefined}
            value={slide[part]}
            maxLength={maxLength}
            disabled={isDisabled}
            error={part === "url" ? problems?.url : undefined}
            onChange={({ target }) => all.setText(slide.key, part, target.value)}
          />
        ))}
      </div>
    </li>
  );
}

/** Changes of the order and the number of slides, with a text that announces the last one and a place for the focus. */
const useSlideChanges = (all: Slides) => {
  const list = useRef<HTMLElement>(null);
  const [status, setStatus] = useState("");
  const { slides } = all;
  const takeFocus = useFocusAfterRemoval(list, slides, "[data-slot=slide-remove]");
  const move: Slides["move"] = (key, by) => {
    const from = slides.findIndex((slide) => slide.key === key);
    if (!slides[from + by]) return;
    all.move(key, by);
    setStatus(`Slide ${from + 1} is now slide ${from + by + 1} of ${slides.length}.`);
  };
  const remove: Slides["remove"] = (key) => {
    const at = slides.findIndex((slide) => slide.key === key);
    const slide = slides[at];
    if (!slide) return;
    takeFocus(slide);
    all.remove(key);
    setStatus(`Slide ${at + 1} of ${slides.length} was removed.`);
  };
  return { list, status, changes: { ...all, move, remove } };
};

type SlideListProps = {
  all: Slides;
  problems: ReadonlyMap<string, SlideProblems>;
  problem: string | null;
  isDisabled: boolean;
};

function SlideList({ all, problems, problem, isDisabled }: SlideListProps) {
  const isOver = useDroppedFiles((files) => {
    if (!isDisabled) all.add(files);
  });
  const { list, status, changes } = useSlideChanges(all);
  return (
    <section ref={list} className="grid content-start gap-3.5" aria-label="Slides">
      <FileDrop
        label={all.slides.length === 0 ? `Choose ${SLIDES_MIN} to ${SLIDES_MAX} images` : "Add images"}
        hint={IMAGE_HINT}
        icon={<Images aria-hidden="true" size={20} strokeWidth={1.7} />}
        accept={ACCEPTED}
        isMultiple
        isDisabled={isDisabled || all.slides.length === SLIDES_MAX}
        isOver={isOver}
        error={problem ?? undefined}
        onFiles={all.add}
      />
      {all.leftOut > 0 && (
        <Banner tone="low" isAnnounced>
          A carousel can have up to {SLIDES_MAX} images. {all.leftOut} {all.leftOut === 1 ? "image was" : "images were"}{" "}
          left out.
        </Banner>
      )}
      <FieldNote>All slides use the size of the first one. Images with a different shape get white bars.</FieldNote>
      <p role="status" className="sr-only">
        {status}
      </p>
      <ol className="grid grid-cols-1 gap-3.5">
        {all.slides.map((slide, index) => (
          <SlideRow
            key={slide.key}
            slide={slide}
            number={index + 1}
            all={changes}
            problems={problems.get(slide.key)}
            isDisabled={isDisabled}
          />
        ))}
      </ol>
    </section>
  );
}

const toForm = (texts: PinTexts, slides: readonly NewSlide[]): FormData => {
  const form = new FormData();
  form.set("pinterest_account", texts.accountId ?? "");
  const ownTexts = slides.map(({ title, description, url }) => {
    return { title: title.trim(), description: description.trim(), ...(url.trim() !== "" && { url: url.trim() }) };
  });
  form.set("pin", JSON.stringify({ ...toPinJson(texts), slides: ownTexts }));
  for (const [index, { file }] of slides.entries()) form.set(slidePart(index), file, file.name);
  return form;
};

function CarouselForm({ accounts }: { accounts: AccountOption[] }) {
  const form = useFormatForm(accounts);
  const all = useSlides();
  const [rejections, setRejections] = useState(0);
  const sending = useFormatSend(PATH, () => {
    form.clear();
    all.clear();
    setRejections(0);
  });
  const texts = checkTexts(form.texts);
  const problems = slideProblems(all.slides);
  const tooFew = countProblem(all.slides);
  const isValid = Object.keys(texts).length === 0 && problems.size === 0 && tooFew === null;
  const isChecked = rejections > 0;
  const submit = () => {
    if (isValid) void sending.send(toForm(form.texts, all.slides));
    else setRejections(rejections + 1);
  };
  return (
    <FormatForm
      label="New carousel"
      submitLabel="Create carousel"
      sending={sending}
      hasProblems={isChecked && !isValid}
      rejections={rejections}
      onSubmit={submit}
      className="grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"
    >
      <PinFields
        accounts={accounts}
        form={form}
        problems={isChecked ? texts : {}}
        isDisabled={sending.isSending}
        imageUrl={all.slides[0]?.preview ?? null}
      />
      <SlideList
        all={all}
        problems={isChecked ? problems : new Map()}
        problem={isChecked ? tooFew : null}
        isDisabled={sending.isSending}
      />
    </FormatForm>
  );
}

/** A carousel from the user's own images. */
export function CarouselScreen({ accounts }: { accounts: AccountOption[] }) {
  return (
    <FormatScreen
      title="New carousel"
      about={`Create one pin from ${SLIDES_MIN} to ${SLIDES_MAX} of your own images. It becomes a draft and uses no credits.`}
      current="carousel"
      accounts={accounts}
    >
      <CarouselForm accounts={accounts} />
    </FormatScreen>
  );
}
