"use client";

import Film from "lucide-react/icons/film";
import ImagePlus from "lucide-react/icons/image-plus";
import { useRef, useState } from "react";
import type { AccountOption } from "#components/accounts/account-choice.tsx";
import { PinFace } from "#components/shared/pin.tsx";
import { Button } from "#components/ui/button.tsx";
import { FieldNote } from "#components/ui/field.tsx";
import { useDroppedFiles } from "#components/ui/use-dropped-files.ts";
import { COVER_HINT, COVER_PART, TEXTS, VIDEO_HINT, VIDEO_PART } from "#lib/features/formats/constants.ts";
import { FileDrop } from "./file-drop.tsx";
import { FormatForm, FormatScreen } from "./format-form.tsx";
import { PinFields } from "./pin-fields.tsx";
import { checkTexts, type PinTexts, type Problems, toPinJson, useFormatForm } from "./use-format-form.ts";
import { useFormatSend } from "./use-format-send.ts";
import { useVideo, type VideoChoice } from "./use-video.ts";

const PATH = "/api/users/pinterest/create-video/";
const ACCEPTED_VIDEOS = "video/mp4,video/quicktime,.m4v";
const ACCEPTED_COVERS = "image/png,image/jpeg,image/webp";

type ChoiceProps = { choice: VideoChoice; problems: Problems; isDisabled: boolean };

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

function Cover({ choice, problems, isDisabled }: ChoiceProps) {
  const { cover, isUnplayable } = choice;
  return (
    <section className="grid content-start gap-2.5" aria-label="Cover">
      <h2 className="text-sm font-semibold text-ink">Cover</h2>
      {cover && (
        <>
          <PinFace src={cover.url} alt="Cover of the video" className="max-w-40 bg-well [&_img]:object-contain" />
          <p className="num text-xs text-ink-3">
            {cover.at === null ? "Your image" : `The frame at ${clock(cover.at)}`}
          </p>
        </>
      )}
      {isUnplayable && !cover && (
        <FieldNote role="status">Your browser can't show this video, so choose an image for its cover.</FieldNote>
      )}
      <FileDrop
        label={cover ? "Choose another cover image" : "Choose a cover image"}
        hint={COVER_HINT}
        icon={<ImagePlus aria-hidden="true" size={20} strokeWidth={1.7} />}
        accept={ACCEPTED_COVERS}
        isDisabled={isDisabled}
        error={problems.cover}
        onFiles={([file]) => file && choice.chooseCover(file)}
      />
    </section>
  );
}

function Player({ choice, isDisabled }: Omit<ChoiceProps, "problems">) {
  const player = useRef<HTMLVideoElement>(null);
  const { video, isUnplayable } = choice;
  if (!video) return null;
  return (
    <div className="grid gap-2.5">
      <video
        ref={player}
        key={video.url}
        src={video.url}
        controls
        muted
        playsInline
        preload="auto"
        aria-label="Your video"
        className="max-h-110 w-full rounded-pin bg-well"
        onLoadedData={({ currentTarget }) => choice.onLoaded(currentTarget)}
        onError={choice.onUnplayable}
      />
      <p className="text-xs text-ink-3 wrap-anywhere">{video.file.name}</p>
      {!isUnplayable && (
        <Button
          size="sm"
          className="justify-self-start"
          disabled={isDisabled}
          onClick={() => player.current && void choice.takeFrame(player.current)}
        >
          Use this frame as the cover
        </Button>
      )}
    </div>
  );
}

function Media({ choice, problems, isDisabled }: ChoiceProps) {
  const isOver = useDroppedFiles(([file]) => {
    if (isDisabled || !file) return;
    if (file.type.startsWith("image/")) choice.chooseCover(file);
    else choice.chooseVideo(file);
  });
  return (
    <div className="grid min-w-0 content-start gap-5">
      <div className="grid gap-2.5">
        <Player choice={choice} isDisabled={isDisabled} />
        <FileDrop
          label={choice.video ? "Choose another video" : "Choose a video"}
          hint={VIDEO_HINT}
          icon={<Film aria-hidden="true" size={20} strokeWidth={1.7} />}
          accept={ACCEPTED_VIDEOS}
          isDisabled={isDisabled}
          isOver={isOver}
          error={problems.media ?? choice.problem ?? undefined}
          onFiles={([file]) => file && choice.chooseVideo(file)}
        />
      </div>
      {choice.video && <Cover choice={choice} problems={problems} isDisabled={isDisabled} />}
    </div>
  );
}

const check = (texts: PinTexts, { video, cover, problem }: VideoChoice): Problems => ({
  ...checkTexts(texts),
  ...(!video && { media: TEXTS.videoNeeded }),
  ...(problem !== null && { media: problem }),
  ...(video && !cover && { cover: TEXTS.coverNeeded }),
});

/** The texts come first, so that the server has them when a large file is cut off. */
const toForm = (texts: PinTexts, { video, cover }: VideoChoice): FormData => {
  const form = new FormData();
  form.set("pinterest_account", texts.accountId ?? "");
  form.set("pin", JSON.stringify(toPinJson(texts)));
  if (cover) form.set(COVER_PART, cover.file, cover.file.name);
  if (video) form.set(VIDEO_PART, video.file, video.file.name);
  return form;
};

function VideoForm({ accounts }: { accounts: AccountOption[] }) {
  const form = useFormatForm(accounts);
  const choice = useVideo();
  const [rejections, setRejections] = useState(0);
  const sending = useFormatSend(PATH, () => {
    form.clear();
    choice.clear();
    setRejections(0);
  });
  const found = check(form.texts, choice);
  const problems = rejections > 0 ? found : {};
  const submit = () => {
    if (Object.keys(found).length > 0) setRejections(rejections + 1);
    else void sending.send(toForm(form.texts, choice));
  };
  return (
    <FormatForm
      label="New video pin"
      submitLabel="Create video pin"
      sending={sending}
      hasProblems={Object.keys(problems).length > 0}
      rejections={rejections}
      onSubmit={submit}
      className="grid-cols-[minmax(0,340px)_minmax(0,1fr)]"
    >
      <Media choice={choice} problems={problems} isDisabled={sending.isSending} />
      <PinFields
        accounts={accounts}
        form={form}
        problems={problems}
        isDisabled={sending.isSending}
        imageUrl={choice.cover?.url ?? null}
      />
    </FormatForm>
  );
}

/** A video pin from the user's own file. */
export function VideoScreen({ accounts }: { accounts: AccountOption[] }) {
  return (
    <FormatScreen
      title="New video pin"
      about="Create a pin from your own video. It becomes a draft and uses no credits."
      current="video"
      accounts={accounts}
    >
      <VideoForm accounts={accounts} />
    </FormatScreen>
  );
}
