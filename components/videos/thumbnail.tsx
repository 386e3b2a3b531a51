import { useState } from "react";
import { pictureAddress } from "#components/videos/safe-address.ts";
import { VIDEO_TEXTS } from "#components/videos/video-texts.ts";

/**
 * A video's picture, or 'No Thumbnail' (R-VID-04), also once its address has expired. Its host is told no referrer, and
 * it is asked only when the picture comes into view.
 */
export function Thumbnail({ src }: { src: string | null }) {
  const address = pictureAddress(src);
  const [failed, setFailed] = useState<string | null>(null);
  if (!address || failed === address) return <span className="video-none">{VIDEO_TEXTS.noThumbnail}</span>;
  return (
    // biome-ignore lint/performance/noImgElement: the browser asks the picture's own host, never our server
    <img
      src={address}
      alt=""
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setFailed(address)}
    />
  );
}
