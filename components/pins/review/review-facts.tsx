import { EditDraftForm } from "#components/pins/edit-draft-form.tsx";
import { LinkCheck } from "#components/pins/link-check.tsx";
import { StatusChip } from "#components/pins/status-chip.tsx";
import type { EditGuard } from "#components/pins/use-edit-guard.ts";
import { Banner } from "#components/ui/banner.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { readPostAction } from "#lib/features/pins/actions.ts";
import { TEXTS } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

type ReviewFactsProps = {
  post: PostWire;
  isDraft: boolean;
  isEditing: boolean;
  guard: EditGuard;
  onEdited: (post: PostWire) => void;
  onClose: () => void;
};

/** What goes out with the picture: title, description, link; or the form that changes them. */
export function ReviewFacts({ post, isDraft, isEditing, guard, onEdited, onClose }: ReviewFactsProps) {
  const notice = useNotice();
  const readAgain = async () => {
    onClose();
    const answer = await callAction(readPostAction({ pinId: post.id }));
    if (answer.ok) onEdited(answer.value.post);
    else notice.error(answer.text);
  };
  if (isEditing) {
    return (
      <div className="review-facts">
        <EditDraftForm post={post} formRef={guard.form} onDone={readAgain} onCancel={onClose} />
        <DiscardDialog guard={guard}>What you changed in this draft has not been saved.</DiscardDialog>
      </div>
    );
  }
  const link = post.url === null ? null : httpUrl(post.url);
  return (
    <div className="review-facts">
      {isDraft ? <StatusChip state={post.status} /> : <Banner>{TEXTS.notReviewable}</Banner>}
      <h2 className="title-2">{post.title}</h2>
      {post.description && <p className="review-words">{post.description}</p>}
      <dl className="num">
        {post.keyword && (
          <>
            <dt>Keyword</dt>
            <dd>{post.keyword}</dd>
          </>
        )}
        <dt>Link</dt>
        <dd>
          {link ? (
            <a className="link" href={link} target="_blank" rel="noreferrer">
              {post.url}
            </a>
          ) : (
            "None"
          )}
        </dd>
      </dl>
      <LinkCheck key={post.id} post={post} />
    </div>
  );
}
