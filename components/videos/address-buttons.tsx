import Copy from "lucide-react/icons/copy";
import ExternalLink from "lucide-react/icons/external-link";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { linkAddress } from "#components/videos/safe-address.ts";
import { nameOf, type ShownVideo } from "#components/videos/shown-video.ts";

type AddressButtonsProps = {
  video: ShownVideo;
  /** The words on the buttons; the video's name is read after them. */
  copyLabel: string;
  openLabel: string;
  onCopy: (address: string) => void;
};

/** Copies a video's address, or opens it in a window of its own (R-VID-11, R-SAV-08). */
export function AddressButtons({ video, copyLabel, openLabel, onCopy }: AddressButtonsProps) {
  const name = nameOf(video);
  const address = linkAddress(video.video_url);
  return (
    <>
      <Button size="sm" onClick={() => onCopy(video.video_url)}>
        <Copy aria-hidden="true" />
        {copyLabel}
        <span className="sr-only">: {name}</span>
      </Button>
      {address && (
        <a
          className={buttonClass({ size: "sm" })}
          href={address}
          target="_blank"
          rel="noopener noreferrer nofollow"
          referrerPolicy="no-referrer"
        >
          <ExternalLink aria-hidden="true" />
          {openLabel}
          <span className="sr-only">: {name}</span>
        </a>
      )}
    </>
  );
}
