"use client";

import { useId, useState } from "react";
import { Pin } from "#components/pins/pin.tsx";
import { PinFace } from "#components/pins/pin-face.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { httpUrl } from "#lib/core/paths.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

const VIEWS = [
  { value: "picture", label: "Picture" },
  { value: "feed", label: "Feed" },
  { value: "close_up", label: "Close-up" },
] as const;
type View = (typeof VIEWS)[number]["value"];

type ShownProps = {
  post: PostWire;
  /** Of the account that publishes it. */
  username: string;
  boardName: string;
};

const hostOf = (url: string | null): string | null => {
  const link = url === null ? null : httpUrl(url);
  return link && new URL(link).hostname.replace(/^www\./, "");
};

function Author({ username, children }: { username: string; children?: string }) {
  return (
    <p className="preview-author">
      <span aria-hidden="true">{username.slice(0, 1).toUpperCase()}</span>
      <span className="min-w-0 truncate">
        {username}
        {children && <small>{children}</small>}
      </span>
    </p>
  );
}

/** One tile among others: the picture, two lines of its title, and whose it is. */
function FeedTile({ post, username }: ShownProps) {
  return (
    <div className="preview-feed">
      <div aria-hidden="true" className="preview-neighbours">
        <i />
        <i />
        <i />
      </div>
      <div className="preview-tile">
        <PinFace src={post.image_url} alt={post.alt_text || post.title} isEager />
        <p className="preview-tile-title">{post.title}</p>
        <Author username={username} />
      </div>
      <div aria-hidden="true" className="preview-neighbours">
        <i />
        <i />
        <i />
      </div>
    </div>
  );
}

/** The pin opened: where it leads, all of its words, and the board it is kept on. */
function CloseUp({ post, username, boardName }: ShownProps) {
  const host = hostOf(post.url);
  return (
    <div className="preview-close-up">
      <PinFace src={post.image_url} alt={post.alt_text || post.title} isEager />
      <div className="preview-words">
        <p className="preview-host">
          {host === null ? <span className="text-ink-3">No link: a press leads nowhere</span> : host}
        </p>
        <p className="preview-title">{post.title}</p>
        <p className="preview-description">{post.description}</p>
        <Author username={username}>{`kept on ${boardName}`}</Author>
      </div>
    </div>
  );
}

/** A pin's picture, and how it looks on Pinterest in a feed and opened. Drawn by us: what counts is what is cut off. */
export function PinPreview(props: ShownProps) {
  const { post } = props;
  const [view, setView] = useState<View>("picture");
  const id = useId();
  return (
    <div className="pin-preview">
      <div id={id}>
        {view === "picture" && (
          <Pin state={post.status} hasTack={false}>
            <PinFace src={post.image_url} alt={post.alt_text || post.title} isEager />
          </Pin>
        )}
        {view === "feed" && <FeedTile {...props} />}
        {view === "close_up" && <CloseUp {...props} />}
      </div>
      <Segment label="Show it as" isLabelHidden options={VIEWS} value={view} onChange={setView} />
    </div>
  );
}
